import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { MemoryProtocol, type MemoryClient } from './MemoryProtocol.js';

const AT = { index: 'city', collection: 'stations' };

/** The same filter, in another order, for another `start`. */
const large = (start: number, size = 250): JsonObject => ({
  or: Array.from({ length: size }, (_, i) => {
    const n = (i + start) % size;
    return { and: [{ in: { colour: ['red', `red${n}`] } }, { equals: { [`n${n}`]: n } }] };
  }),
});
const refused: JsonObject = {
  and: Array.from({ length: 513 }, (_, i) => ({ exists: `a${i}` })),
};

describe('large filters (FILTER-50)', () => {
  let server: StartedKernel;
  let protocol: MemoryProtocol;
  const write = (_id: string, body: JsonObject) =>
    server.kernel.execute({ controller: 'document', action: 'create', ...AT, _id, body });
  const subscribe = (client: MemoryClient, body: JsonObject) =>
    client.request({ controller: 'realtime', action: 'subscribe', ...AT, body });
  const rooms = async () => {
    const { result } = await server.kernel.execute({ controller: 'realtime', action: 'list' });
    return Object.values((result as Record<string, Record<string, JsonObject>>).city?.stations ?? {});
  };

  beforeEach(async () => {
    protocol = new MemoryProtocol();
    server = await startKernel({ plugins: [protocol.plugin] });
  });
  afterEach(() => server.close());

  it('equal filters that come at once share one room, among others that are refused', async () => {
    const clients = Array.from({ length: 6 }, () => protocol.connect());
    const answers = await Promise.all(
      clients.map((client, i) => subscribe(client, i % 3 === 2 ? refused : large(i * 7))),
    );
    const ids = new Set(answers.map(({ result }) => (result as JsonObject | null)?.roomId));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 200, 200, 400]);
    expect(answers[2]?.error).toMatchObject({ id: 'realtime.filter_too_complex' });
    expect(ids.size).toBe(2);
    expect(await rooms()).toEqual([4]);
    await write('a', { colour: 'red', n3: 3 });
    const { channel } = answers[0]?.result as unknown as { channel: string };
    expect(clients.map((client) => client.heard(channel).length)).toEqual([1, 1, 0, 1, 1, 0]);
  });

  it('with patterns too costly to search for leave a gap, and delay no other subscription', async () => {
    const [client, other] = [protocol.connect(), protocol.connect()];
    const { result } = await subscribe(other, { equals: { n: 1 } });
    const { channel } = result as { channel: string };
    // Each follows up to 20 million steps.
    const costly: string[] = [];
    for (let i = 0; i < 4; i++) {
      const pattern = `(a|b)*a(a|b){${300 + i}}[cz]`;
      const answer = await subscribe(client, { regexp: { t: pattern } });
      expect(answer.status).toBe(200);
      costly.push((answer.result as { channel: string }).channel);
    }
    let seed = 7;
    const next = () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) >>> 16;
    const t = `z${Array.from({ length: 100_000 }, () => 'ab'.charAt(next() & 1)).join('')}`;
    await write('a', { t, n: 1 });
    await write('b', { n: 1 });
    await expect.poll(() => other.heard(channel)).toEqual(['create in a', 'create in b']);
    const gaps = () => costly.map((each) => client.heard(each));
    await expect.poll(gaps).toEqual([['gap'], ['gap'], ['gap'], ['gap']]);
  });
});
