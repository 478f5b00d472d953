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
    const thrown = await client.actions.index
      .create({ index: 'city' })
      .catch((error: unknown) => error);
    expect(isError(thrown, 'storage.index_exists')).toBe(true);
    expect(thrown).toMatchObject({ status: 409, isRetryable: false });
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
});
