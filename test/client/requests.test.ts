import { createClient, isError, NetworkError, TimeoutError } from '@millrace/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestKernel, type TestKernel } from '@millrace/testing';

interface Schema {
  city: { stations: { name: string; bikes: number } };
}

describe('requests of the client', () => {
  let server: TestKernel;
  beforeAll(async () => {
    server = await startTestKernel();
    const fields = { index: 'city', collection: 'stations', _id: 's-1' };
    await server.kernel.execute({ controller: 'index', action: 'create', index: 'city' });
    await server.kernel.execute({
      controller: 'document',
      action: 'createOrReplace',
      ...fields,
      body: { name: 'Opéra', bikes: 3 },
    });
  });
  afterAll(() => server.close());

  it('PROTO-34: get a document; null if it is absent', async () => {
    const stations = createClient<Schema>(server.url).collection('city', 'stations');
    const station = await stations.get('s-1');
    expect(station).toMatchObject({ id: 's-1', version: 1, source: { name: 'Opéra', bikes: 3 } });
    expect(await stations.get('s-2')).toBeNull();
  });

  it('runs any action, and throws errors of the server with their ids', async () => {
    const client = createClient(server.url);
    expect((await client.actions.server.now()).now).toBeGreaterThan(0);
    const { result } = await client.request({ controller: 'index', action: 'list' });
    expect(result.indexes).toEqual(['city']);
    const thrown = await client.actions.index.create({ index: 'city' }).catch((error: unknown) => error);
    expect(isError(thrown, 'storage.index_exists')).toBe(true);
    expect(thrown).toMatchObject({ status: 409, isRetryable: false });
  });

  it('has a message also where that of the server is an object', async () => {
    const { collection } = createClient(server.url).actions;
    const at = { index: 'city', collection: 'stations' };
    const body = { city: { stations: { fields: { bikes: { type: 'bicycle' } } } } };
    await expect(collection.updateSpecifications({ ...at, body })).rejects.toThrow(/^The specifications/);
  });

  it('PROTO-32: nothing is subscribed over HTTP', async () => {
    const client = createClient(server.url);
    const fields = { index: 'city', collection: 'stations', body: {} };
    await client.actions.realtime.subscribe(fields).catch(() => undefined);
    const { result } = await client.request({ controller: 'realtime', action: 'list' });
    expect(result).toEqual({});
  });

  it('a server that is not there is a NetworkError, one that does not answer a TimeoutError', async () => {
    const absent = createClient('http://127.0.0.1:9', { retries: 0 });
    await expect(absent.actions.server.now()).rejects.toThrow(NetworkError);
    const silent = createClient(server.url, {
      timeoutMs: 20,
      fetch: (_, init) =>
        new Promise((_resolve, reject) =>
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)),
        ),
    });
    await expect(silent.actions.server.now()).rejects.toThrow(TimeoutError);
  });

  /** A client that doesn't get the first `lost` answers, though the server has executed the requests. */
  function openLossy(lost: number) {
    const sent: string[] = [];
    const client = createClient<Schema>(server.url, {
      fetch: async (input, init) => {
        sent.push(init?.body as string);
        const response = await fetch(input, init);
        if (sent.length <= lost) throw new TypeError('connection reset');
        return response;
      },
    });
    return { client, stations: client.collection('city', 'stations'), sent };
  }

  it('sends reads again, and writes only with a key, which are then executed once', async () => {
    const reading = openLossy(2);
    expect((await reading.stations.get('s-1'))?.id).toBe('s-1');
    expect(reading.sent).toHaveLength(3);

    const plain = openLossy(1);
    const document = { name: 'Nation', bikes: 1 };
    await expect(plain.stations.create(document)).rejects.toThrow(NetworkError);
    expect(plain.sent).toHaveLength(1);

    const keyed = openLossy(2);
    const before = await reading.stations.count();
    const made = await keyed.stations.create(document, { idempotencyKey: true, refresh: true });
    expect(made.version).toBe(1);
    expect([keyed.sent.length, new Set(keyed.sent).size]).toEqual([3, 1]);
    expect(await keyed.stations.count()).toBe(before + 1);
  });

  it('waits as long as the server says, or fails at once where that exceeds the time limit', async () => {
    let count = 0;
    const busy = (seconds: string) =>
      createClient(server.url, {
        fetch: async (input, init) => {
          if (count++ > 0) return fetch(input, init);
          const error = { id: 'core.overloaded', status: 503, message: 'busy' };
          return Response.json(
            { requestId: 'r', status: 503, error, result: null },
            { status: 503, headers: { 'retry-after': seconds } },
          );
        },
      });
    const begin = performance.now();
    expect((await busy('1').actions.server.now()).now).toBeGreaterThan(0);
    expect(performance.now() - begin).toBeGreaterThan(990);
    count = 0;
    const thrown = await busy('60')
      .actions.server.now()
      .catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      id: 'core.overloaded',
      retryAfterMs: 60_000,
      isRetryable: true,
    });
  });

  it('ends with the reason of the signal, before and during a request', async () => {
    const client = createClient(server.url);
    const aborted = { signal: AbortSignal.abort() };
    await expect(client.actions.server.now({}, aborted)).rejects.toMatchObject({
      name: 'AbortError',
    });
    const controller = new AbortController();
    const reason = new Error('left the page');
    const asked = client.actions.server.now({}, { signal: controller.signal });
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  it('the answer of another server is a NetworkError', async () => {
    const other = createClient('http://proxy', {
      retries: 0,
      fetch: async () => new Response('<h1>Bad Gateway</h1>', { status: 502 }),
    });
    await expect(other.actions.server.now()).rejects.toThrow('Status 502, and no answer of');
  });

  it('returns a partial failure with its details, and bare content as it is', async () => {
    const { client } = openLossy(0);
    const documents = [{ _id: 's-1', body: { name: 'x', bikes: 0 } }];
    const fields = { index: 'city', collection: 'stations', body: { documents } };
    const partial = await client.request({ controller: 'document', action: 'mCreate', ...fields });
    expect(partial).toMatchObject({ status: 206, error: { id: 'document.partial_failure' } });
    expect(partial.result.errors).toMatchObject([{ _id: 's-1', status: 409 }]);
    expect(await client.actions.server.metrics()).toContain('# TYPE ');
    expect(await client.actions.server.openapi()).toHaveProperty('openapi');
  });
});
