import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { shippedPlugins } from '@millrace/server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runTestCommand, type CommandOutcome } from '../../packages/server/src/commands/runTestCommand.test.support.js';

const PASSWORD = 'a password of some length';
const OTHER = 'another password of some length';

const login = async (server: TestKernel, username: string, password: string) => {
  const { body, status } = await server.ask('POST', '/_login', { username, password });
  return { status, jwt: ((body?.['result'] ?? {}) as { jwt?: string }).jwt ?? '' };
};

describe('user, on the data of a stopped server', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-user-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const run = (args: readonly string[], stdin?: string): Promise<CommandOutcome> =>
    runTestCommand(args, {
      folder,
      environment: { MILLRACE_SERVER_DATA_DIR: folder, NODE_ENV: 'production' },
      ...(stdin !== undefined && { stdin }),
    });
  const start = () => startTestKernel({ config: { server: { dataDir: folder } }, plugins: shippedPlugins() });

  it('CLI-6 finds no data in a folder without a database, and creates none', async () => {
    for (const args of [['user', 'list'], ['export'], ['role', 'explain', 'anna', 'document.get']])
      expect(await run(args)).toEqual({
        code: 1,
        stdout: '',
        stderr: `millrace: "${folder}" has no database: expected a data folder (server.dataDir)\n`,
      });
    expect(await run(['import', 'none'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("none can't be read: ENOENT") as unknown,
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('CLI-6 creates the first administrator and others, who can log in afterwards', async () => {
    const first = await run(['user', 'create', 'chief', '--profiles', 'admin'], `${PASSWORD}\nmore`);
    expect(first).toEqual({
      code: 0,
      stdout: 'Created the first administrator chief (admin)\n',
      stderr: '',
    });
    const second = await run(['user', 'create', 'anna', '--json'], PASSWORD);
    expect(JSON.parse(second.stdout)).toEqual({
      _id: 'anna',
      profileIds: ['default'],
      isFirstAdministrator: false,
    });
    expect((await run(['user', 'list'])).stdout).toBe('anna   default\nchief  admin\n');
    expect(await run(['user', 'password', 'anna'], OTHER)).toMatchObject({ code: 0 });

    const server = await start();
    try {
      expect(await login(server, 'chief', PASSWORD)).toMatchObject({ status: 200 });
      expect(await login(server, 'anna', PASSWORD)).toMatchObject({ status: 401 });
      expect(await login(server, 'anna', OTHER)).toMatchObject({ status: 200 });
      const refused = await run(['user', 'list']);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('pass --url URL of the running server');
    } finally {
      await server.close();
    }
  });

  it('CLI-7 takes no password as an argument, and shows none', async () => {
    const bad = await run(['user', 'create', 'anna', 'secret-word-hush'], PASSWORD);
    expect(bad.code).toBe(2);
    const none = await run(['user', 'create', 'anna']);
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain('Expected the password on standard input');
    const short = await run(['user', 'create', 'anna'], 'hush');
    expect(short.code).toBe(1);
    expect(short.stderr).not.toContain('hush');
  });

  it('names the error of the server, with its id in JSON', async () => {
    await run(['user', 'create', 'anna'], PASSWORD);
    const again = await run(['user', 'create', 'anna', '--json'], PASSWORD);
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout)).toMatchObject({
      error: { id: 'security.user_exists', status: 409 },
    });
  });

  it('leaves an engine alone that other servers may use', async () => {
    const environment = {
      MILLRACE_STORAGE_ENGINE: 'elasticsearch',
      MILLRACE_STORAGE_ELASTICSEARCH_NODE: 'http://127.0.0.1:9',
      MILLRACE_SERVER_DATA_DIR: folder,
    };
    const { code, stderr } = await runTestCommand(['user', 'list'], { folder, environment });
    expect(code).toBe(1);
    expect(stderr).toContain('--stopped');
  });
});

describe('user, on a running server', () => {
  let server: TestKernel;
  let token = '';
  beforeAll(async () => {
    server = await startTestKernel({ plugins: shippedPlugins() });
    const created = await server.ask('POST', '/users/chief/_createFirstAdmin', {
      password: PASSWORD,
    });
    expect(created.status).toBe(200);
    token = (await login(server, 'chief', PASSWORD)).jwt;
  });
  afterAll(() => server.close());

  it('CLI-6 creates and lists users with the token of MILLRACE_TOKEN', async () => {
    const options = { environment: { MILLRACE_TOKEN: token }, stdin: PASSWORD };
    const args = ['--url', server.url];
    expect(await runTestCommand(['user', 'create', 'anna', ...args], options)).toMatchObject({
      code: 0,
    });
    expect(await runTestCommand(['user', 'list', ...args], options)).toMatchObject({
      stdout: 'anna   default\nchief  admin\n',
    });
    expect((await login(server, 'anna', PASSWORD)).status).toBe(200);
  });

  it('explains which role decides, for users and for callers without a login', async () => {
    const options = { environment: { MILLRACE_TOKEN: token } };
    const explain = (...args: readonly string[]) =>
      runTestCommand(['role', 'explain', '--url', server.url, ...args], options);
    expect(await explain('chief', 'document.get', '--index', 'i', '--collection', 'c')).toEqual({
      code: 0,
      stdout:
        'chief: document.get: allowed: granted by role "admin"\n  "admin" "admin" "controllers.*.actions.*": allows it\n',
      stderr: '',
    });
    const stranger = await explain('--json', '--', '-1', 'document.get');
    expect(stranger).toMatchObject({ code: 0 });
    expect(JSON.parse(stranger.stdout)).toMatchObject({ allowed: false });
    expect(await explain('chief', 'document')).toMatchObject({ code: 2, stdout: '' });
    const wrong = await explain('chief', 'document.gte');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('gte');
  });

  it('CLI-6 creates and replaces the roles of a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-roles-'));
    const options = { folder, environment: { MILLRACE_TOKEN: token } };
    const apply = async (roles: object) => {
      await writeFile(join(folder, 'roles.json'), JSON.stringify(roles));
      return runTestCommand(['role', 'apply', 'roles.json', '--url', server.url], options);
    };
    const role = (actions: object) => ({ controllers: { document: { actions } } });
    const both = { reader: role({ get: true }), editor: role({ update: true }) };
    expect(await apply(both)).toEqual({ code: 0, stdout: 'Applied reader, editor\n', stderr: '' });
    expect(await apply({ reader: role({ search: true }) })).toMatchObject({ code: 0 });
    const stored = async (id: string) =>
      (
        await server.kernel.execute({
          controller: 'security',
          action: 'getRole',
          _id: id,
          jwt: token,
        })
      ).result;
    expect(await stored('reader')).toMatchObject({ _source: role({ search: true }) });
    expect(await stored('editor')).toMatchObject({ _source: role({ update: true }) });
    const nameless = await apply(role({ get: true }));
    expect(nameless).toMatchObject({ code: 2, stdout: '' });
    expect(nameless.stderr).toContain('a role without an id');
    await rm(folder, { recursive: true });
  });

  it('names the form of an address', async () => {
    const { code, stderr } = await runTestCommand(['user', 'list', '--url', '127.0.0.1:7511']);
    expect(code).toBe(2);
    expect(stderr).toContain('expected an address such as http://127.0.0.1:7511');
  });

  it('says which token is missing', async () => {
    const { code, stderr } = await runTestCommand(['user', 'list', '--url', server.url]);
    expect(code).toBe(1);
    expect(stderr).toContain('(401)');
    expect(stderr).toContain('MILLRACE_TOKEN');
  });
});

describe('role check', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-role-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const check = async (content: string, ...args: readonly string[]) => {
    await writeFile(join(folder, 'roles.json'), content);
    return runTestCommand(['role', 'check', 'roles.json', ...args], { folder });
  };
  const actions = (actions: object) => ({ controllers: { document: { actions } } });

  it('CLI-8 names faults of form, and unknown names with the nearest ones', async () => {
    const roles = {
      reader: actions({ get: true }),
      editor: actions({ gte: true }),
      broken: { controllers: { document: { acts: {} } } },
    };
    const { code, stdout } = await check(JSON.stringify(roles));
    expect(code).toBe(1);
    expect(stdout).toContain('editor: unknown action document.gte; did you mean get?\n');
    expect(stdout).toMatch(/^broken: .*acts/m);
    expect(stdout).not.toContain('reader');
    const json = await check(JSON.stringify(roles), '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ roles: ['reader', 'editor', 'broken'] });
  });

  it('CLI-8 knows both names of the memory store, which a role may use', async () => {
    const role = (name: string) => JSON.stringify({ controllers: { [name]: { actions: { get: true } } } });
    for (const name of ['ms', 'memoryStorage']) expect(await check(role(name))).toMatchObject({ code: 0 });
    expect((await check(role('mss'))).stdout).toContain('unknown controller mss');
  });

  it('CLI-8 takes one role, and refuses what is none', async () => {
    expect(await check(JSON.stringify(actions({ get: true })))).toMatchObject({ code: 0 });
    expect((await check('{')).stderr).toContain('roles.json is not valid JSON');
    const absent = await runTestCommand(['role', 'check', 'absent.json'], { folder });
    expect(absent.stderr).toBe("millrace: absent.json can't be read: ENOENT\n");
    expect((await check('{"a": 1}')).stderr).toContain('a: expected an object');
  });
});
