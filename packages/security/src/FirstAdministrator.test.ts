import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Logger } from '@millrace/kernel';
import {
  openTestSecurity,
  PASSWORD,
  probe,
  TEST_INTERNAL_INDEX,
  testStrategy,
  type TestSecurity,
} from './openTestSecurity.test.support.js';

const opened: TestSecurity[] = [];
async function open(options: Parameters<typeof openTestSecurity>[0] = {}): Promise<TestSecurity> {
  const security = await openTestSecurity(options);
  opened.push(security);
  return security;
}
afterEach(async () => {
  for (const security of opened.splice(0).reverse()) await security.close();
});

const first = (id: string) => ({ _id: id, body: { password: PASSWORD } });

function notingLogger() {
  const lines: { fields: Record<string, unknown>; message: string }[] = [];
  const note = (fields: object, message: string) => void lines.push({ fields: { ...fields }, message });
  const log: Logger = { debug: note, info: note, warn: note, error: note, child: () => log };
  return { log, lines };
}

describe('createFirstAdmin (SEC-5)', () => {
  it('succeeds for exactly one of 50 parallel calls on two nodes, and never again', async () => {
    const one = await open();
    const two = await open({ engine: one.engine });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 === 0 ? one : two).send('security.createFirstAdmin', first(`admin-${i}`)),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(49);
    const winner = answers.find(({ status }) => status === 200)?.result as { _id: string };
    const admin = { jwt: await one.login(winner._id) };
    expect(await one.result('security.searchUsers', { body: {} }, admin)).toMatchObject({
      total: 1,
    });
    expect(await two.refusal('security.createFirstAdmin', first('late'))).toBe('412 security.admin_exists');
  });

  it('can be tried again after a refusal', async () => {
    const security = await open();
    const bad = { _id: 'root', body: { password: 'short' } };
    expect((await security.send('security.createFirstAdmin', bad)).status).toBe(400);
    const named = { _id: 'root', body: { password: PASSWORD, profileIds: ['admin'] } };
    expect(await security.refusal('security.createFirstAdmin', named)).toBe('400 security.invalid_user');
    expect(await security.admin()).toBeTypeOf('string');
  });

  it('takes over the claim of a process that died before it had made the user', async () => {
    const security = await open();
    const { engine, time } = security;
    const place = { index: TEST_INTERNAL_INDEX, collection: 'installation' };
    const source = { isConfirmed: false, atMs: time.nowMs };
    const operation = { ...place, kind: 'put', id: 'first-administrator', source, condition: 'absent' } as const;
    await engine.write([operation], true);
    expect(await security.refusal('security.createFirstAdmin', first('root'))).toBe('412 security.admin_exists');
    time.nowMs += 31_000;
    expect(await security.admin()).toBeTypeOf('string');
  });

  it('ends at a start that finds an administrator whose creation was never confirmed', async () => {
    const security = await open();
    await security.admin();
    const { engine } = security;
    await engine.truncate({ index: TEST_INTERNAL_INDEX, collection: 'installation' });
    const again = await open({ engine });
    expect(await again.refusal('security.createFirstAdmin', first('late'))).toBe('412 security.admin_exists');
  });

  it('ends once a user got profile admin in another way', async () => {
    const security = await open();
    const body = { profileIds: ['admin'], password: PASSWORD };
    await security.result('security.createUser', { _id: 'boss', body });
    expect(await security.refusal('security.createFirstAdmin', first('late'))).toBe('412 security.admin_exists');
    expect(await security.refusal('security.createUser', { _id: 'x', body })).toBe('401 auth.login_needed');
  });

  it('notifies others of an administrator whose existence could not be recorded', async () => {
    const security = await open();
    const changed: string[] = [];
    security.hooks.add('security.userChanged', 'test', ({ id }) => void changed.push(id));
    const { engine } = security;
    const write = engine.write.bind(engine);
    // Of a storage that fails between the two writes.
    vi.spyOn(engine, 'write').mockImplementation((operations, ...rest) =>
      operations.some(({ collection }) => collection === 'installation')
        ? Promise.reject(new Error('no storage'))
        : write(operations, ...rest),
    );
    const body = { profileIds: ['admin'], password: PASSWORD };
    expect((await security.send('security.createUser', { _id: 'boss', body })).status).toBe(500);
    expect(changed).toEqual(['boss']);
  });

  it('restores roles and profiles default and anonymous, unless reset is false', async () => {
    for (const reset of [true, false]) {
      const security = await open();
      const body = { controllers: { document: { actions: { get: true } } } };
      await security.result('security.createOrReplaceRole', { _id: 'anonymous', body });
      const asked = { _id: 'root', body: { password: PASSWORD, reset } };
      await security.result('security.createFirstAdmin', asked);
      const { status } = await security.send('auth.checkToken', { body: { token: 'x' } });
      expect(status).toBe(reset ? 200 : 401);
    }
  });
});

describe('before there is an administrator', () => {
  it('anonymous requests may do everything but read the configuration', async () => {
    const security = await open({ actions: [probe('document.delete'), probe('server.getConfig')] });
    expect((await security.send('document.delete')).status).toBe(200);
    expect(await security.refusal('server.getConfig')).toBe('401 auth.login_needed');
    expect((await security.send('security.getUserMapping')).status).toBe(200);
    const jwt = await security.admin();
    expect(await security.refusal('security.getUserMapping')).toBe('401 auth.login_needed');
    expect(await security.refusal('document.delete')).toBe('401 auth.login_needed');
    expect((await security.send('server.getConfig', {}, { jwt })).status).toBe(200);
  });

  it('the store is asked for one once a second, and another server that made one is believed then', async () => {
    const one = await open();
    const security = await open({ engine: one.engine, actions: [probe('document.delete')] });
    const read = vi.spyOn(security.engine, 'read');
    for (let i = 0; i < 5; i++) expect((await security.send('document.delete')).status).toBe(200);
    const count = () => read.mock.calls.filter(([{ collection }]) => collection === 'installation').length;
    expect(count()).toBeLessThanOrEqual(1);
    await one.admin();
    security.time.nowMs += 1_000;
    expect(await security.refusal('document.delete')).toBe('401 auth.login_needed');
  });

  it('a warning says so at the start', async () => {
    const { log, lines } = notingLogger();
    await open({ log });
    expect(lines.map(({ message }) => message).join()).toContain('Lock it down with POST /_createFirstAdmin');
  });

  it('a server that is not open takes createFirstAdmin alone, with the setup token from its log', async () => {
    const { log, lines } = notingLogger();
    const config = { openUntilFirstAdmin: false };
    const security = await open({ config, log, actions: [probe('server.healthCheck')] });
    const setupToken = lines.find(({ fields }) => 'setupToken' in fields)?.fields['setupToken'];
    expect(setupToken).toMatch(/^[\w-]{32}$/);
    for (const action of ['server.now', 'auth.login', 'security.createRestrictedUser', 'auth.getStrategies']) {
      expect(await security.refusal(action, { body: { password: PASSWORD } })).toBe('401 auth.login_needed');
    }
    expect((await security.send('server.healthCheck')).status).toBe(200);
    const create = (token?: string) =>
      security.send('security.createFirstAdmin', { _id: 'root', body: { password: PASSWORD, setupToken: token } });
    for (const wrong of [undefined, '', 'x', `${String(setupToken)}x`]) {
      expect((await create(wrong)).error?.id).toBe('auth.wrong_setup_token');
    }
    const made = await create(String(setupToken));
    expect(made.status).toBe(200);
    expect(JSON.stringify(made)).not.toContain(String(setupToken));
    expect((await security.send('server.now')).status).toBe(200);
  });

  it('needs no password where no strategy takes one (SEC-42)', async () => {
    const { credentials: _credentials, ...external } = testStrategy;
    const security = await open({ strategies: [external] });
    const made = await security.result('security.createFirstAdmin', { _id: 'root', body: {} });
    expect(made).toMatchObject({ _id: 'root', created: true });
  });
});
