import { afterEach, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import type { JsonObject } from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { callHttp, fresh } from './securedServer.js';

const PASSWORD = 'a-Password-of-mine';

describe('the first administrator (SEC-5, SEC-6)', () => {
  let started: StartedKernel | undefined;
  afterEach(async () => {
    await started?.close();
    started = undefined;
  });
  const open = async (security: JsonObject = {}) => {
    const server = await startKernel({ plugins: [localAuth()], config: { security } });
    started = server;
    const call = (method: string, path: string, body?: JsonObject, jwt: string | null = null) =>
      callHttp(server.url, method, path, { jwt, ...(body === undefined ? {} : { body }) });
    return { call };
  };

  it.each<[string, () => string]>([
    ['with different names', () => fresh('first')],
    ['with one name', () => 'first'],
  ])('is one of 50 that ask at once %s', async (_, name) => {
    const { call } = await open();
    const asked = Array.from({ length: 50 }, (_unused, i) => ({
      _id: name(),
      password: `${PASSWORD}-${i}`,
    }));
    const replies = await Promise.all(
      asked.map((body, i) =>
        i % 2 === 0
          ? call('POST', '/_createFirstAdmin', body)
          : call('POST', `/users/${body._id}/_createFirstAdmin`, { password: body.password }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(49).fill(412)]);
    const winner = replies.findIndex(({ status }) => status === 200);
    const { _id: username, password } = asked[winner] ?? { _id: '', password: '' };
    const { result, status } = await call('POST', '/_login', { username, password });
    expect(status).toBe(200);
    const users = await call('POST', '/users/_search', {}, result.jwt as string);
    expect((users.result.hits as readonly JsonObject[]).map(({ _id }) => _id)).toEqual([username]);
    // A loser's password must not open the account, nor any other account.
    const loser = asked[winner === 0 ? 1 : 0] ?? { _id: '', password: '' };
    expect((await call('POST', '/_login', { username: loser._id, password: loser.password })).status).toBe(401);
  });

  it('closes the server to all others', async () => {
    const { call } = await open();
    expect((await call('PUT', '/before')).status).toBe(200);
    expect((await call('GET', '/_adminExists')).result).toEqual({ exists: false });
    await call('POST', '/_createFirstAdmin', { _id: 'first', password: PASSWORD });
    expect((await call('GET', '/_adminExists')).result).toEqual({ exists: true });
    for (const [method, path] of [
      ['PUT', '/after'],
      ['GET', '/before/_exists'],
      ['DELETE', '/before'],
      ['GET', '/_list'],
      ['GET', '/roles/admin'],
      ['GET', '/_getConfig'],
    ] as const) {
      expect([path, (await call(method, path)).status]).toEqual([path, 401]);
    }
    expect((await call('POST', '/_createFirstAdmin', { _id: 'second', password: PASSWORD })).status).toBe(412);
  });

  it('is not needed for a server that answers every call of accounts without a failure', async () => {
    const { call } = await open();
    expect((await call('GET', '/_adminExists')).status).toBe(200);
    const { kernel } = started ?? {};
    for (const { controller, action } of kernel?.actions ?? []) {
      if (!['auth', 'security'].includes(controller) || action === 'createFirstAdmin') continue;
      for (const body of [null, {}, { a: 1 }, { password: 5, profileIds: {}, policies: 'x', ids: 1 }]) {
        for (const _id of [null, 'nobody', '-1']) {
          const message = await kernel?.execute({
            controller,
            action,
            _id,
            body,
            strategy: 'local',
          });
          expect([action, body, _id, Number(message?.status) < 500]).toEqual([action, body, _id, true]);
        }
      }
    }
    expect((await call('POST', '/_createFirstAdmin', { _id: 'first', password: PASSWORD })).status).toBe(200);
  });

  it('keeps its secrets from anonymous callers while the server is open', async () => {
    const { call } = await open();
    expect((await call('GET', '/_getConfig')).status).toBe(401);
    expect((await call('GET', '/%25millrace/keys/jwt-HS256')).status).toBe(403);
    expect((await call('POST', '/%25millrace/credentials/_search', {})).status).toBe(403);
  });

  it('is not given away by a call that fails', async () => {
    const { call } = await open();
    for (const body of [
      {},
      { password: 'short' },
      { password: 5 },
      { _id: '_x', password: PASSWORD },
      { _id: '-1', password: PASSWORD },
      { _id: 'x', password: PASSWORD, profileIds: ['none'] },
      { _id: 'x', password: PASSWORD, suid: 'chosen' },
    ]) {
      const { status } = await call('POST', '/_createFirstAdmin', body);
      // Profiles are not asked for; whether they are refused or left out, they must not replace `admin`.
      expect([400, ...('profileIds' in body ? [200] : [])]).toContain(status);
      if (status === 200) return;
    }
    expect((await call('POST', '/_createFirstAdmin', { _id: 'first', password: PASSWORD })).status).toBe(200);
    expect((await call('POST', '/_login', { username: 'first', password: PASSWORD })).status).toBe(200);
  });

  it('takes back what anonymous callers gave themselves while the server was open', async () => {
    const { call } = await open();
    const everything = { controllers: { '*': { actions: { '*': true } } } };
    expect((await call('PUT', '/roles/anonymous', everything)).status).toBe(200);
    expect((await call('PUT', '/roles/default', everything)).status).toBe(200);
    await call('POST', '/_createFirstAdmin', { _id: 'first', password: PASSWORD });
    expect((await call('GET', '/_list')).status).toBe(401);
    await call('POST', '/users/visitor/_createRestricted', { password: PASSWORD });
    const { result } = await call('POST', '/_login', { username: 'visitor', password: PASSWORD });
    expect((await call('GET', '/_list', undefined, result.jwt as string)).status).toBe(403);
  });

  it('needs the setup token where the server is not open before', async () => {
    const setupToken = 'the-setup-token-0123456789';
    const { call } = await open({ openUntilFirstAdmin: false, setupToken });
    const body = { _id: 'first', password: PASSWORD };
    for (const [method, path] of [
      ['PUT', '/before'],
      ['GET', '/_list'],
      ['GET', '/roles/admin'],
      ['POST', '/users/x/_createRestricted'],
    ] as const) {
      expect([path, (await call(method, path, method === 'POST' ? { password: PASSWORD } : undefined)).status]).toEqual(
        [path, 401],
      );
    }
    for (const wrong of [
      {},
      { setupToken: '' },
      { setupToken: 'x' },
      { setupToken: null },
      { setupToken: setupToken.slice(1) },
      { setupToken: `${setupToken}x` },
      { setupToken: [setupToken] },
      { setupToken: true },
      { setupToken: {} },
    ]) {
      const reply = await call('POST', '/_createFirstAdmin', { ...body, ...wrong });
      expect([JSON.stringify(wrong), [400, 401].includes(reply.status)]).toEqual([JSON.stringify(wrong), true]);
      expect(reply.text).not.toContain(setupToken);
    }
    const made = await call('POST', '/_createFirstAdmin', { ...body, setupToken });
    expect(made.status).toBe(200);
    expect(made.text).not.toContain(setupToken);
    const { result } = await call('POST', '/_login', { username: 'first', password: PASSWORD });
    const stored = await call('GET', '/users/first', undefined, result.jwt as string);
    expect(stored.text).not.toContain(setupToken);
    expect(stored.result._source).toMatchObject({ profileIds: ['admin'] });
  });

  it('can not be the last one to go', async () => {
    const { call } = await open();
    await call('POST', '/_createFirstAdmin', { _id: 'first', password: PASSWORD });
    const jwt = (await call('POST', '/_login', { username: 'first', password: PASSWORD })).result.jwt as string;
    const goes = [
      () => call('DELETE', '/users/first', undefined, jwt),
      () => call('POST', '/users/first', { profileIds: ['default'] }, jwt),
      () => call('PUT', '/users/first', { profileId: 'default', password: PASSWORD }, jwt),
    ];
    for (const go of goes) expect((await go()).status).toBe(412);
    // Two administrators that remove each other at once: one must stay.
    await call('POST', '/users/second/_create', { profileIds: ['admin'], password: PASSWORD }, jwt);
    const replies = await Promise.all([
      call('DELETE', '/users/first', undefined, jwt),
      call('DELETE', '/users/second', undefined, jwt),
      call('POST', '/users/first', { profileIds: ['default'] }, jwt),
      call('POST', '/users/second', { profileIds: ['default'] }, jwt),
    ]);
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(2);
    expect((await call('GET', '/_adminExists')).result).toEqual({ exists: true });
    const entered = await Promise.all(
      ['first', 'second'].map((username) => call('POST', '/_login', { username, password: PASSWORD })),
    );
    const lists = await Promise.all(
      entered.map(({ result }) => call('GET', '/_list', undefined, (result.jwt as string | undefined) ?? null)),
    );
    expect(lists.map(({ status }) => status)).toContain(200);
  });
});
