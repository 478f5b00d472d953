import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HalfRequest } from './HalfRequest.js';
import { flatRole, roleOn, startSecured, type SecuredServer } from './securedServer.js';

const ANNOUNCED = { 'Content-Length': '66060288' };
const CHUNKED = { 'Transfer-Encoding': 'chunked' };
const LIMIT_MS = 4_000;

describe('a body above http.maxBodySize is read only for a caller with the right to send it', () => {
  let server: SecuredServer;
  const open: HalfRequest[] = [];
  beforeAll(async () => {
    server = await startSecured();
    await server.result('PUT', '/own');
    await server.result('PUT', '/own/docs');
  });
  afterEach(() => {
    for (const request of open.splice(0)) request.close();
  });
  afterAll(() => server.close());

  const begin = async (path: string, headers: Readonly<Record<string, string>>) => {
    const request = await HalfRequest.open(server.started.url, path, headers);
    open.push(request);
    return request;
  };

  it.each([
    ['/x/y/_bulk', ANNOUNCED],
    ['/_bulk', ANNOUNCED],
    ['/api/1.0/x/y/_bulk', ANNOUNCED],
    ['/x/y/_bulk', CHUNKED],
    ['/_bulk', CHUNKED],
  ])('an anonymous POST %s %j is answered 401 after its first 2 MiB', async (path, headers) => {
    const request = await begin(path, headers);
    await request.send(2);
    expect(await request.status(LIMIT_MS)).toBe('401');
  });

  it('an unknown token is answered 401 after the first 2 MiB', async () => {
    const request = await begin('/own/docs/_bulk', { ...ANNOUNCED, Authorization: 'Bearer x.y.z' });
    await request.send(2);
    expect(await request.status(LIMIT_MS)).toBe('401');
  });

  it.each(['/other/docs/_bulk', '/_bulk'])(
    'a user who may import into one collection only is answered 403 for %s',
    async (path) => {
      const { jwt } = await server.account(roleOn('own', { bulk: ['import'] }));
      const request = await begin(path, { ...ANNOUNCED, Authorization: `Bearer ${jwt}` });
      await request.send(2);
      expect(await request.status(LIMIT_MS)).toBe('403');
    },
  );

  it('a user without the right is answered 403 after the first 2 MiB', async () => {
    const { jwt } = await server.account(flatRole({ document: ['*'] }));
    const request = await begin('/own/docs/_bulk', {
      ...ANNOUNCED,
      Authorization: `Bearer ${jwt}`,
    });
    await request.send(2);
    expect(await request.status(LIMIT_MS)).toBe('403');
  });

  it('a user with the right imports 20 MB', async () => {
    const { jwt } = await server.account(roleOn('own', { bulk: ['import'], document: ['*'] }));
    const text = 'x'.repeat(10_000);
    const bulkData = Array.from({ length: 2_000 }, (_, n) => [{ index: { _id: `d${n}` } }, { text }]).flat();
    const { status } = await server.http('POST', '/own/docs/_bulk?refresh=wait_for', {
      jwt,
      body: { bulkData },
    });
    expect(status).toBe(200);
    const count = await server.result('POST', '/own/docs/_count', { body: {} });
    expect(count).toEqual({ count: 2_000 });
  });
});
