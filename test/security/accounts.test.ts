import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import type { JsonObject, Logger } from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { callHttp, flatRole, fresh, startSecured, type SecuredServer } from './securedServer.js';
import { decodeToken, forgeToken } from './tokenForge.js';

const PASSWORD = 'a-Password-of-mine';
const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const server of closing.splice(0)) await server.close();
});

async function secured(config: JsonObject = {}, logger?: Logger): Promise<SecuredServer> {
  const server = await startSecured(config, logger === undefined ? {} : { logger });
  closing.push(server);
  return server;
}

async function open(security: JsonObject = {}, logger?: Logger) {
  const plugins = [localAuth()];
  const given = logger === undefined ? {} : { logger };
  const started: StartedKernel = await startKernel({ plugins, config: { security }, ...given });
  closing.push(started);
  return (method: string, path: string, body?: JsonObject, jwt: string | null = null) =>
    callHttp(started.url, method, path, { jwt, ...(body === undefined ? {} : { body }) });
}

/** Keeps every line as pino would write it. */
function keepLines() {
  const lines: string[] = [];
  const keep = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep, child: () => logger };
  return { lines, logger };
}

describe('right passwords are limited', () => {
  it('answers the 61st login at once of one account and address 429, and logs in others meanwhile', async () => {
    const server = await secured();
    const ada = await server.account(flatRole({ auth: ['*'] }));
    const bob = await server.account(flatRole({ auth: ['*'] }));
    const replies = await Promise.all(Array.from({ length: 100 }, () => server.login(ada.id, ada.password)));
    const refused = replies.filter(({ status }) => status === 429);
    // One login was made with the account; a token may be regained while these run.
    expect(refused.length).toBeGreaterThan(20);
    expect(new Set(refused.map(({ error }) => error.id))).toEqual(new Set(['auth.too_many_logins']));
    expect((await server.login(bob.id, bob.password)).status).toBe(200);
  });
});

describe('the signing key', () => {
  it('is in a file of mode 0600 next to the database, and in no other file', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-key-'));
    const kernel = new Kernel({
      config: { http: { port: 0 }, server: { dataDir }, log: { level: 'silent' } },
      plugins: [localAuth()],
    });
    await kernel.start();
    await kernel.stop();
    try {
      const path = join(dataDir, 'signing-key.json');
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      const keys = JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
      const key = keys['jwt-HS256'] ?? '';
      expect(key).toMatch(/^[\w-]{43}$/);
      for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || entry.name === 'signing-key.json') continue;
        const content = await readFile(join(entry.parentPath, entry.name));
        expect([entry.name, content.includes(key)]).toEqual([entry.name, false]);
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it('can not sign a token that lives longer than maxTTL', async () => {
    const secret = 'a-secret-of-the-configuration-0123456789';
    const server = await secured({ security: { jwt: { secret } } });
    const { header, payload } = decodeToken(server.adminJwt);
    const now = Math.floor(Date.now() / 1_000);
    const forge = (times: JsonObject) => forgeToken(header, { ...payload, ...times }, { key: secret });
    const day = 86_400;
    for (const [times, status] of [
      [{ iat: now, exp: now + 30 * day }, 200],
      [{ iat: now, exp: now + 30 * day + 1 }, 401],
      [{ iat: now, exp: now + 3650 * day }, 401],
      [{ iat: now + 3640 * day, exp: now + 3650 * day }, 401],
      [{ iat: now - 3650 * day, exp: now + day }, 401],
      [{ iat: '1', exp: now + day }, 401],
      [{ iat: null, exp: now + day }, 401],
    ] as const) {
      const reply = await server.http('GET', '/users/_me', { jwt: forge(times) });
      expect([times, reply.status]).toEqual([times, status]);
    }
  });
});

describe('accounts made while a server was open', () => {
  const everything = { controllers: { '*': { actions: { '*': true } } } };
  const backdoor = async (call: Awaited<ReturnType<typeof open>>) => {
    await call('POST', '/roles/evil/_create', everything);
    await call('POST', '/profiles/evil/_create', { policies: [{ roleId: 'evil' }] });
    await call('PUT', '/profiles/default', { policies: [{ roleId: 'evil' }] });
    await call('PUT', '/profiles/admin', { policies: [{ roleId: 'evil' }] });
    await call('POST', '/users/backdoor/_create', { profileIds: ['evil'], password: PASSWORD });
    const { result } = await call('POST', '/_login', { username: 'backdoor', password: PASSWORD });
    return result.jwt as string;
  };
  const admin = { _id: 'admin', password: PASSWORD };

  it('is listed by createFirstAdmin, and stays unless asked otherwise', async () => {
    const call = await open();
    const jwt = await backdoor(call);
    const { status, result } = await call('POST', '/_createFirstAdmin', admin);
    expect(status).toBe(200);
    expect(result.madeWhileOpen).toEqual({
      users: ['backdoor'],
      profiles: ['evil'],
      roles: ['evil'],
    });
    expect((await call('GET', '/users/_me', undefined, jwt)).status).toBe(200);
  });

  it('is removed with removeMadeWhileOpen, with its tokens, and nothing built in names it', async () => {
    const call = await open();
    const jwt = await backdoor(call);
    const body = { ...admin, removeMadeWhileOpen: true, reset: false };
    const { status, result } = await call('POST', '/_createFirstAdmin', body);
    expect(status).toBe(200);
    expect(result.madeWhileOpen).toEqual({
      users: ['backdoor'],
      profiles: ['evil'],
      roles: ['evil'],
    });
    expect(result._source).not.toHaveProperty('removeMadeWhileOpen');
    expect((await call('GET', '/users/_me', undefined, jwt)).status).toBe(401);
    const login = await call('POST', '/_login', { username: 'admin', password: PASSWORD });
    const own = login.result.jwt as string;
    for (const path of ['/users/backdoor', '/_profiles/evil', '/roles/evil']) {
      expect([path, (await call('GET', path, undefined, own)).status]).toEqual([path, 404]);
    }
    const { result: profile } = await call('GET', '/_profiles/admin', undefined, own);
    expect(profile._source).toMatchObject({ policies: [{ roleId: 'admin' }] });
  });

  it('is nothing on a fresh server, and the flag is strict', async () => {
    const call = await open();
    for (const removeMadeWhileOpen of ['yes', 1, {}]) {
      const { status, text } = await call('POST', '/_createFirstAdmin', {
        ...admin,
        removeMadeWhileOpen,
      });
      expect([status, text.includes('removeMadeWhileOpen')]).toEqual([400, true]);
    }
    const { result } = await call('POST', '/_createFirstAdmin', admin);
    expect(result.madeWhileOpen).toEqual({ users: [], profiles: [], roles: [] });
  });
});

describe('sign-up', () => {
  const signUp = async (security: JsonObject) => {
    const setupToken = 'the-setup-token-0123456789';
    const call = await open({ ...security, setupToken });
    await call('POST', '/_createFirstAdmin', { _id: 'admin', password: PASSWORD, setupToken });
    return (await call('POST', '/users/eve/_createRestricted', { password: PASSWORD })).status;
  };

  it('is closed to strangers where the server was not open, unless it is opened', async () => {
    expect(await signUp({})).toBe(200);
    expect(await signUp({ openUntilFirstAdmin: false })).toBe(401);
    expect(await signUp({ openUntilFirstAdmin: false, openSignUp: true })).toBe(200);
    expect(await signUp({ openSignUp: false })).toBe(401);
  });
});

describe('the setup token', () => {
  it('has at least 16 characters', () => {
    const start = (setupToken: string) => new Kernel({ config: { security: { setupToken } } });
    expect(() => start('a'.repeat(15))).toThrow(/security\.setupToken: must be a string of at least 16/);
    expect(() => start('a'.repeat(16))).not.toThrow();
  });

  it('is not printed where it was configured', async () => {
    const { lines, logger } = keepLines();
    const setupToken = 'the-setup-token-0123456789';
    await open({ openUntilFirstAdmin: false, setupToken }, logger);
    expect(lines.join()).toContain('there is no administrator yet');
    expect(lines.join()).not.toContain(setupToken);
  });
});

describe('refusals in the log', () => {
  it('are short, and few per address', async () => {
    const { lines, logger } = keepLines();
    const server = await secured({}, logger);
    lines.length = 0;
    for (let i = 0; i < 50; i++) {
      const reply = await server.started.kernel.execute({
        controller: 'document',
        action: 'get',
        index: 'i',
        collection: 'c',
        _id: 'x'.repeat(512),
      });
      expect(reply.status).toBe(401);
    }
    const denied = lines.filter((line) => line.includes('"message":"denied"'));
    expect(denied).toHaveLength(20);
    expect(Math.max(...denied.map(({ length }) => length))).toBeLessThan(1_000);
    await server.close();
    closing.length = 0;
    const summary = lines.find((line) => line.includes('"message":"more refusals"'));
    expect(JSON.parse(summary ?? '{}')).toMatchObject({ suppressedCount: 30 });
  });
});

describe('conditions on properties of users', () => {
  const role = (path: string) => ({
    controllers: {
      auth: { actions: { '*': true } },
      document: {
        actions: { get: { when: { equals: { 'document.department': { $ref: path } } } } },
      },
    },
  });
  const seeded = async (server: SecuredServer) => {
    const index = fresh('index');
    await server.result('PUT', `/${index}/papers/plan`, { body: { department: 'board' } });
    return `/${index}/papers/plan`;
  };

  it.each([{ department: 'board' }, { 'department.name': 'x' }])(
    'do not read what the user wrote last: %j',
    async (body) => {
      const server = await secured();
      const path = await seeded(server);
      const bob = await server.account(role('user.department'), { department: 'board' });
      const status = async () => (await server.http('GET', path, { jwt: bob.jwt })).status;
      expect(await status()).toBe(200);
      await server.result('PUT', '/_updateSelf', { jwt: bob.jwt, body: { name: 'Bob' } });
      expect(await status()).toBe(200);
      await server.result('PUT', '/_updateSelf', { jwt: bob.jwt, body });
      expect(await status()).toBe(403);
      await server.result('POST', `/users/${bob.id}`, { body: { name: 'Robert' } });
      expect(await status()).toBe(403);
      await server.result('POST', `/users/${bob.id}`, { body: { department: 'board' } });
      expect(await status()).toBe(200);
    },
  );

  it('do not read what a user chose at sign-up, also once they have the role', async () => {
    const server = await secured();
    const path = await seeded(server);
    const member = await server.account(role('user.department'), { department: 'sales' });
    const { profileIds } = await server
      .result('GET', `/users/${member.id}`)
      .then(({ _source }) => _source as { readonly profileIds: readonly string[] });
    const id = fresh('eve');
    const sent = { department: 'board', password: PASSWORD };
    await callHttp(server.started.url, 'POST', `/users/${id}/_createRestricted`, { body: sent });
    await server.result('POST', `/users/${id}`, { body: { profileIds } });
    const login = await callHttp(server.started.url, 'POST', '/_login', {
      body: { username: id, password: PASSWORD },
    });
    const jwt = login.result.jwt as string;
    expect((await server.http('GET', path, { jwt })).status).toBe(403);
    await server.result('POST', `/users/${id}`, { body: { department: 'board' } });
    expect((await server.http('GET', path, { jwt })).status).toBe(200);
  });

  it('can be kept out of the hands of users altogether by security.protectedProperties', async () => {
    const server = await secured({ security: { protectedProperties: ['department'] } });
    const bob = await server.account(role('user.department'), { department: 'sales' });
    for (const key of ['department', 'department.name']) {
      const body = { [key]: 'board' };
      const reply = await server.http('PUT', '/_updateSelf', { jwt: bob.jwt, body });
      expect([reply.status, reply.error.message]).toEqual([400, expect.stringContaining(`"${key}"`)]);
      const made = await callHttp(server.started.url, 'POST', '/users/_createRestricted', {
        body: { ...body, password: PASSWORD },
      });
      expect(made.status).toBe(400);
    }
  });
});

describe('restrictions that do not restrict', () => {
  it('are stored, and the answer names the actions', async () => {
    const server = await secured();
    const restrictedTo = [{ index: 'tenant1' }];
    const id = fresh('tenant');
    const body = { policies: [{ roleId: 'admin', restrictedTo }] };
    for (const [method, path] of [
      ['POST', `/profiles/${id}/_create`],
      ['PUT', `/profiles/${id}`],
      ['POST', `/profiles/${id}`],
    ] as const) {
      const { warnings } = await server.result(method, path, { body });
      expect(warnings).toEqual([expect.stringContaining('of role "admin"')]);
      for (const name of ['security.*', 'server.backup', 'memoryStorage.*', 'index.list']) {
        expect((warnings as readonly string[])[0]).toContain(name);
      }
    }
    const some = fresh('role');
    const granted = flatRole({ document: ['*'], auth: ['*'], server: ['now'], security: ['createUser'] });
    await server.result('PUT', `/roles/${some}`, { body: granted });
    const one = await server.result('PUT', `/profiles/${id}`, {
      body: { policies: [{ roleId: some, restrictedTo }] },
    });
    expect((one.warnings as readonly string[])[0]).toMatch(/does not limit security\.createUser of/);
    const plain = fresh('role');
    await server.result('PUT', `/roles/${plain}`, { body: flatRole({ document: ['*'] }) });
    for (const policies of [[{ roleId: plain, restrictedTo }], [{ roleId: 'admin' }]]) {
      const result = await server.result('PUT', `/profiles/${id}`, { body: { policies } });
      expect(result).not.toHaveProperty('warnings');
    }
  });
});

describe('changing credentials', () => {
  it('takes the current password in the body of every route, and counts wrong ones', async () => {
    const server = await secured();
    const { jwt, password, id } = await server.account(flatRole({ auth: ['*'] }));
    const next = fresh('Next-pass');
    for (const [method, path] of [
      ['PUT', '/_updateSelf'],
      ['PUT', '/credentials/local/_me/_update'],
      ['DELETE', '/credentials/local/_me'],
    ] as const) {
      const wrong = { password: next, currentPassword: `${password}x` };
      const reply = await server.http(method, path, { jwt, body: wrong });
      expect([path, reply.status, reply.error.id]).toEqual([path, 403, 'auth.wrong_current_password']);
      expect(reply.text).not.toContain(password);
    }
    const body = { password: next, currentPassword: password };
    expect((await server.http('PUT', '/_updateSelf', { jwt, body })).status).toBe(200);
    expect((await server.login(id, next)).status).toBe(200);
  });
});

describe('common passwords (SEC-61)', () => {
  it('are refused, for the first administrator too', async () => {
    const call = await open();
    for (const password of ['password', 'PASSWORD', '12345678', 'Password123', 'qwertyuiop']) {
      const { status, error } = await call('POST', '/_createFirstAdmin', {
        _id: 'admin',
        password,
      });
      expect([password, status, error.id]).toEqual([password, 400, 'auth.password_refused']);
    }
  });
});
