import { definePlugin, Lifetime, type JsonObject, type ProtocolHost } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKernel, type StartedKernel } from '../startKernel.js';

const COUNT = 20_000;
const AT = { index: 'shop', collection: 'things' };
const SLOW = {
  query: {
    bool: {
      should: Array.from({ length: 30 }, (_, i) => ({
        wildcard: { 't.keyword': { value: `*o*r*${i}*x*` } },
      })),
    },
  },
};

let started: StartedKernel;
let host: ProtocolHost | undefined;
let connectionCount = 0;

/** Gives tests the host, so that they decide when a connection closes. */
const protocol = definePlugin({
  name: 'test-protocol',
  kernel: '^0.1.0',
  setup(plugin) {
    plugin.protocol({
      name: 'test',
      start: async (given) => {
        host = given;
        return { host: '127.0.0.1', port: 1, url: 'test://127.0.0.1' };
      },
      stop: async () => undefined,
    });
  },
});

/** A client of one connection. */
function connect() {
  const lifetime = new Lifetime();
  const id = `test-${connectionCount++}`;
  const connection = { id, protocol: 'test', remoteAddress: '127.0.0.1', lifetime };
  const send = async (action: string, body: object = {}, more: object = {}) => {
    if (host === undefined) throw new Error('the protocol was not started');
    const fields = { controller: 'document', action, ...AT, ...more, body };
    const { message } = await host.dispatch(host.createRequest(fields, connection));
    return { status: message.status, result: message.result as JsonObject | null };
  };
  return { lifetime, send };
}

beforeAll(async () => {
  started = await startKernel({ plugins: [protocol] });
  const lines = Array.from({ length: COUNT }, (_, n) => [
    { index: { _id: `d${n}` } },
    { n, t: `order no ${n} of x${n % 7}` },
  ]);
  for (let at = 0; at < COUNT; at += 5_000) {
    const bulkData = lines.slice(at, at + 5_000).flat();
    const { status } = await started.ask('POST', '/shop/things/_bulk', { bulkData });
    expect(status).toBe(200);
  }
});
afterAll(() => started.close());

describe('searches of a client that has left', () => {
  it('are dropped or cancelled, and leave the thread to others', async () => {
    const leaving = connect();
    const staying = connect();
    const honest = { query: { range: { n: { lt: 20 } } }, sort: ['n'], size: 20 };
    const expected = await staying.send('search', honest);
    const abandoned = [
      ...Array.from({ length: 150 }, () => leaving.send('search', SLOW)),
      ...Array.from({ length: 50 }, () => leaving.send('count', SLOW)),
    ];
    await abandoned[0];
    leaving.lifetime.close();
    const after = await staying.send('search', honest);
    expect({ ...after.result, took: 0 }).toEqual({ ...expected.result, took: 0 });
    const statuses = (await Promise.all(abandoned)).map(({ status }) => status);
    // The one that runs while the client leaves may still be done.
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(20);
  });

  it('by which documents should be deleted delete none', async () => {
    const leaving = connect();
    const deletions = Array.from({ length: 20 }, () => leaving.send('deleteByQuery', SLOW));
    leaving.lifetime.close();
    const statuses = (await Promise.all(deletions)).map(({ status }) => status);
    expect(statuses).not.toContain(200);
    const { result } = await connect().send('count');
    expect(result).toEqual({ count: COUNT });
  });

  it('do not end its scroll: a page can be asked for from another connection', async () => {
    const leaving = connect();
    const body = { sort: ['n'], size: 1_000 };
    const first = await leaving.send('search', body, { scroll: '1m' });
    const scrollId = first.result?._scroll_id;
    leaving.lifetime.close();
    expect((await leaving.send('scroll', {}, { scrollId })).status).not.toBe(200);
    const next = await connect().send('scroll', {}, { scrollId });
    expect(next.status).toBe(200);
    expect((next.result?.hits as JsonObject[])[0]).toMatchObject({ _source: { n: 1_000 } });
  });
});
