import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
// The example is JavaScript, as users would write it.
// @ts-expect-error no declarations
import { importCity } from '../../examples/server/importCity.mjs';
// @ts-expect-error no declarations
import { lockDown } from '../../examples/server/lockDown.mjs';
import { startKernel, type StartedKernel } from '../startKernel.js';

const PASSWORDS = { admin: 'admin-password', editor: 'editor-password' };

type Call = (method: string, path: string, body: object, jwt?: string) => Promise<unknown>;

describe('the example server, locked down', () => {
  let server: StartedKernel;
  const ask = (method: string, path: string, body?: object, jwt?: string) =>
    server.ask(method, path, body, jwt === undefined ? {} : { authorization: `Bearer ${jwt}` });
  const statusOf = async (...request: Parameters<typeof ask>) => (await ask(...request)).status;
  const login = async (username: 'admin' | 'editor') => {
    const { body } = await ask('POST', '/_login', { username, password: PASSWORDS[username] });
    return (body.result as { jwt: string }).jwt;
  };

  beforeAll(async () => {
    server = await startKernel({ plugins: [localAuth()] });
    await (importCity as (kernel: unknown, notify: () => void) => Promise<void>)(server.kernel, () => undefined);
    const call: Call = async (...request) => {
      const { status, body } = await ask(...request);
      expect(status, JSON.stringify(body.error)).toBe(200);
      return body.result;
    };
    await (lockDown as (call: Call, passwords: object) => Promise<void>)(call, PASSWORDS);
  });

  afterAll(() => server.close());

  it('lets everyone read the city and nothing else', async () => {
    expect(await statusOf('GET', '/city/stations/station-042')).toBe(200);
    expect(await statusOf('POST', '/city/trips/_search', { size: 1 })).toBe(200);
    expect(await statusOf('PUT', '/city/stations/station-042/_update', { bikes: 1 })).toBe(401);
    expect(await statusOf('DELETE', '/city')).toBe(401);
    expect(await statusOf('GET', '/users/admin')).toBe(401);
    expect(await statusOf('GET', '/_getConfig')).toBe(401);
    expect(await statusOf('PUT', '/other/things/a', {})).toBe(401);
  });

  it('lets the editor change documents, but neither make nor remove collections', async () => {
    const jwt = await login('editor');
    expect(await statusOf('PUT', '/city/stations/station-042/_update', { bikes: 1 }, jwt)).toBe(200);
    expect(await statusOf('PUT', '/city/stations/mine', { name: 'Mine' }, jwt)).toBe(200);
    expect(await statusOf('DELETE', '/city/stations/mine', undefined, jwt)).toBe(200);
    expect(await statusOf('PUT', '/city/parks/a', {}, jwt)).toBe(403);
    expect(await statusOf('DELETE', '/city/stations/_truncate', undefined, jwt)).toBe(403);
    expect(await statusOf('PUT', '/roles/editor', { controllers: {} }, jwt)).toBe(403);
  });

  it('lets the administrator do everything', async () => {
    const jwt = await login('admin');
    expect(await statusOf('PUT', '/city/parks/a', {}, jwt)).toBe(200);
    expect(await statusOf('GET', '/users/editor', undefined, jwt)).toBe(200);
    expect(await statusOf('GET', '/_getConfig', undefined, jwt)).toBe(200);
    expect(await statusOf('POST', '/users/x/_createFirstAdmin', { password: 'long enough' })).toBe(412);
  });
});
