import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { definePlugin, type JsonObject } from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { MemoryProtocol, type MemoryClient } from './MemoryProtocol.js';

const AT = { index: 'city', collection: 'stations' };

/** Filters that are read in many steps; the same ones, in another order, for another `start`. */
const large = (start: number, size = 300): JsonObject => ({
  or: Array.from({ length: size }, (_, i) => {
    const n = (i + start) % size;
    return { and: [{ in: { colour: ['red', `red${n}`] } }, { equals: { [`n${n}`]: n } }] };
  }),
});
const refused: JsonObject = {
  and: Array.from({ length: 9 }, (_, i) => ({ or: [{ exists: `a${i}` }, { exists: `b${i}` }] })),
};

describe('large filters (realtime-filters.md section 9)', () => {
  let server: StartedKernel;
  let protocol: MemoryProtocol;
  const write = (_id: string, body: JsonObject) =>
    server.kernel.execute({ controller: 'document', action: 'create', ...AT, _id, body });
  const subscribe = (client: MemoryClient, body: JsonObject) =>
    client.request({ controller: 'realtime', action: 'subscribe', ...AT, body });
  const rooms = async () => {
    const { result } = await server.kernel.execute({ controller: 'realtime', action: 'list' });
    return Object.values((result as Record<string, Record<string, JsonObject>>).city?.stations ?? {}); // prettier-ignore
  };

  beforeEach(async () => {
    protocol = new MemoryProtocol();
    const plugin = definePlugin({
      name: 'memory-protocol',
      kernel: '*',
      setup: (host) => host.protocol(protocol),
    });
    server = await startKernel({ plugins: [plugin] });
  });
  afterEach(() => server.close());

  it('that are equal and come at once share one room, among others that are refused', async () => {
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

  it('are done before what the connection asks for next', async () => {
    const [one, two] = [protocol.connect(), protocol.connect()];
    const { result } = await subscribe(two, large(0));
    const { roomId } = result as { roomId: string };
    const answers = await Promise.all([
      subscribe(one, large(5)),
      subscribe(one, { exists: 'colour' }),
      one.request({ controller: 'realtime', action: 'unsubscribe', body: { roomId } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await rooms()).sort()).toEqual([1, 1]);
  });

  it('leave no room behind where their connection closes meanwhile', async () => {
    const [one, two] = [protocol.connect(), protocol.connect()];
    const given = [subscribe(one, large(0)), subscribe(two, large(1)), subscribe(one, large(2))];
    one.close();
    const answers = await Promise.all(given);
    expect(answers[1]?.status).toBe(200);
    expect(await rooms()).toEqual([1]);
    two.close();
    expect(await rooms()).toEqual([]);
  });

  it('keep the order of documents whose texts take long to search', async () => {
    const client = protocol.connect();
    const { result } = await subscribe(client, { exists: 't' });
    for (let i = 0; i < 24; i++) {
      const pattern = `(a|b)*a(a|b){${200 + i}}[cz]`;
      expect((await subscribe(client, { regexp: { t: pattern } })).status).toBe(200);
    }
    let seed = 7;
    const next = () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) >>> 16;
    const text = `z${Array.from({ length: 4_000 }, () => 'ab'.charAt(next() & 1)).join('')}`;
    await Promise.all([write('a', { t: text }), write('b', { t: 'c' }), write('c', { t: text })]);
    const { channel } = result as { channel: string };
    while (client.heard(channel).length < 3) await new Promise((resolve) => setImmediate(resolve));
    const order = client.heard(channel).map((each) => each.slice(-1));
    expect([...order].sort()).toEqual(['a', 'b', 'c']);
    await server.kernel.execute({ controller: 'realtime', action: 'publish', ...AT, body: { t: text } }); // prettier-ignore
    while (client.heard(channel).length < 4) await new Promise((resolve) => setImmediate(resolve));
    expect(client.heard(channel)).toHaveLength(4);
  });

  it('count as they are asked for while documents come', async () => {
    const client = protocol.connect();
    const given = subscribe(client, large(0));
    for (let i = 0; i < 20; i++) await write(`a${i}`, { colour: 'red', n1: 1 });
    const { result } = await given;
    await write('b', { colour: 'red', n1: 1 });
    expect(client.heard((result as { channel: string }).channel).at(-1)).toBe('create in b');
  });
});
