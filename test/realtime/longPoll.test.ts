import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKernel, type StartedKernel } from '../startKernel.js';

const AT = { index: 'city', collection: 'stations' };
const RED = { equals: { colour: 'red' } };
const CUTS = 25;

interface Answer {
  readonly status: number;
  readonly error: { readonly id: string; readonly details?: object } | null;
  readonly result: {
    readonly changes: readonly {
      readonly scope: string;
      readonly cursor: string;
      readonly result: { readonly _id: string; readonly _version: number };
    }[];
    readonly cursor: string;
    readonly upToDate: boolean;
  };
}

describe('polling over HTTP with the embedded engine', () => {
  let server: StartedKernel;
  let url: string;

  beforeAll(async () => {
    server = await startKernel();
    const addresses = await server.kernel.start();
    const base = addresses.find(({ protocol }) => protocol === 'http')?.url ?? '';
    url = `${base}/city/stations/_changes`;
  });
  afterAll(() => server.close());

  const execute = async (fields: object) => {
    const response = await server.kernel.execute({ ...AT, ...fields });
    expect([200, 206, 404]).toContain(response.status);
    return response.result as { readonly hits: readonly { readonly _id: string; readonly _version: number }[] };
  }; // prettier-ignore
  const put = (_id: string, colour: string) =>
    execute({ controller: 'document', action: 'createOrReplace', _id, body: { colour } });
  const poll = async (query: Record<string, string>, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(`${url}?${String(new URLSearchParams(query))}`, init);
    return (await response.json()) as Answer;
  };
  const filter = JSON.stringify(RED);

  it('a client that is cut off again and again misses nothing and gets nothing twice (POLL-2, POLL-4)', async () => {
    let { cursor } = (await poll({ filter })).result;
    let isOver = false;
    const write = async () => {
      for (let n = 0; !isOver; n++) await put(`d${n % 17}`, n % 3 === 0 ? 'red' : 'blue');
    };
    const writing = write();
    const mirror = new Map<string, number>();
    const seen: string[] = [];
    const step = async (init?: RequestInit) => {
      const { status, result } = await poll({ filter, cursor, wait: '20s' }, init);
      expect(status).toBe(200);
      for (const change of result.changes) {
        seen.push(change.cursor);
        const { _id, _version } = change.result;
        if (change.scope === 'out') mirror.delete(_id);
        else mirror.set(_id, _version);
      }
      cursor = result.cursor;
      return result.upToDate && result.changes.length === 0;
    };
    for (let n = 0; n < CUTS; n++) {
      const abort = new AbortController();
      const cut = step({ signal: abort.signal }).catch(() => undefined);
      await put('x', n % 2 === 0 ? 'red' : 'blue');
      if (n % 2 === 0) abort.abort();
      await cut;
    }
    isOver = true;
    await writing;
    let isDone = false;
    while (!isDone) {
      const { result } = await poll({ filter, cursor });
      isDone = result.changes.length === 0;
      if (!isDone) await step();
    }
    expect(seen).toEqual([...new Set(seen)].sort());
    await execute({ controller: 'collection', action: 'refresh' });
    const query = { query: { term: { colour: 'red' } }, size: 100, version: true };
    const { hits } = await execute({ controller: 'document', action: 'search', body: query });
    expect(Object.fromEntries(mirror)).toEqual(Object.fromEntries(hits.map(({ _id, _version }) => [_id, _version])));
  });

  it('takes the filter as a body, and names the gap with 410 (POLL-8, POLL-9)', async () => {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: filter,
    };
    const { cursor } = (await poll({}, init)).result;
    await put('posted', 'red');
    await put('other', 'green');
    const { result } = await poll({ cursor }, init);
    expect(result.changes.map((change) => change.result._id)).toEqual(['posted']);
    await execute({ controller: 'collection', action: 'truncate' });
    const gone = await poll({ cursor }, init);
    expect(gone).toMatchObject({
      status: 410,
      error: {
        id: 'realtime.gap',
        details: { reason: 'wiped', cursor: expect.any(String) as string },
      },
    });
    const refused = await poll({ cursor: 'nonsense' });
    expect([refused.status, refused.error?.id]).toEqual([400, 'realtime.invalid_cursor']);
  });

  it('answers those that wait when the server stops (POLL-6)', async () => {
    const { cursor } = (await poll({ filter })).result;
    const waiting = poll({ filter, cursor, wait: '60s' });
    const rooms = async () =>
      Object.keys((await server.kernel.execute({ controller: 'realtime', action: 'list' })).result as object);
    while ((await rooms()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await server.kernel.stop();
    expect(await waiting).toMatchObject({ status: 200, result: { changes: [], upToDate: true } });
  });
});
