/* server.restoreCollection: what a user with that right on one collection may write. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { roleOn, startSecured, type SecuredServer } from './securedServer.js';

const WAIT = { timeout: 60_000, interval: 50 };

let server: SecuredServer;
let backup: string;

beforeAll(async () => {
  server = await startSecured();
  await server.result('PUT', '/shop');
  await server.result('PUT', '/shop/sales/1', { body: { n: 1 } });
  ({ name: backup } = (await server.result('POST', '/_backup')) as { readonly name: string });
  const state = async () => (await server.result('GET', '/_backups')).hits as readonly { readonly state: string }[];
  await vi.waitFor(async () => expect((await state())[0]?.state).toBe('complete'), WAIT);
});
afterAll(() => server.close());

describe('a user who may restore one collection', () => {
  const restore = (jwt: string, as: string, from = '/shop/sales') =>
    server.http('POST', `${from}/_restoreFromBackup`, { jwt, body: { backup, as } });

  it('needs the right to the new collection too', async () => {
    const rights = { server: ['restoreCollection'] };
    const one = await server.account(roleOn('shop', rights, 'sales'));
    expect((await restore(one.jwt, 'other')).status).toBe(403);
    const all = await server.account(roleOn('shop', rights));
    expect((await restore(all.jwt, 'other')).result).toEqual({ documents: 1 });
  });

  it('may not create collections where its role forbids that', async () => {
    const { indexes } = roleOn('shop', { server: ['restoreCollection'] }) as never as {
      readonly indexes: { readonly shop: { readonly collections: object } };
    };
    const collections = { ...indexes.shop.collections, _canCreate: false };
    const { jwt } = await server.account({ indexes: { shop: { collections } } });
    expect((await restore(jwt, 'third')).status).toBe(403);
  });

  it('reads nothing of the internal index, nor from a path', async () => {
    for (const index of ['%25millrace', '..%2F..', '.']) {
      const { status } = await restore(server.adminJwt, 'stolen', `/${index}/users`);
      expect([index, status >= 400 && status < 500]).toEqual([index, true]);
    }
    for (const name of ['..', '../..', '/etc', '2026-01-01T00-00-00-000Z/../..', 'x\0']) {
      const body = { backup: name, as: 'stolen' };
      const { error } = await server.http('POST', '/shop/sales/_restoreFromBackup', { body });
      expect([name, error.id]).toEqual([name, 'core.backup_not_found']);
    }
  });
});
