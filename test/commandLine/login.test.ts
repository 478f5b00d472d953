import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { shippedPlugins } from '@millrace/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runTestCommand } from '../../packages/server/src/commands/runTestCommand.test.support.js';

const PASSWORD = 'a password of some length';

describe('login and token', () => {
  let home = '';
  let server: TestKernel;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'millrace-login-'));
    server = await startTestKernel({ plugins: shippedPlugins() });
    await server.ask('POST', '/_createFirstAdmin', { _id: 'anna', password: PASSWORD });
  });
  afterAll(async () => {
    await server.close();
    await rm(home, { recursive: true, force: true });
  });
  const run = (args: readonly string[], stdin = '', environment: Record<string, string> = {}) =>
    runTestCommand([...args, '--url', server.url], {
      stdin,
      environment: { HOME: home, ...environment },
    });

  it('CLI-17 login keeps a token that later commands use, and token prints', async () => {
    const before = await run(['token']);
    expect(before).toMatchObject({ code: 1, stdout: '' });
    expect(before.stderr).toContain(`millrace login USER --url ${server.url}`);
    expect((await run(['user', 'list'])).stderr).toContain('millrace login');

    const { code, stdout, stderr } = await run(['login', 'anna'], `${PASSWORD}\n`);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Logged in at http:\S+ as anna, until 20\d\d-/);
    expect((await run(['user', 'list'])).stdout).toContain('anna');
    const token = (await run(['token'])).stdout.trim();
    const me = await server.ask('GET', '/users/_me', undefined, {
      authorization: `Bearer ${token}`,
    });
    expect(me.body?.['result']).toMatchObject({ _id: 'anna' });
  });

  it('the file can be read by its user alone, and has no password', async () => {
    const path = join(home, '.config', 'millrace', 'tokens.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).not.toContain(PASSWORD);
  });

  it('a token of the environment goes first; one that has expired is not used', async () => {
    const given = { MILLRACE_TOKEN: 'no.such.token' };
    expect((await run(['user', 'list'], '', given)).code).toBe(1);
    await run(['login', 'anna', '--expiresIn', '1s'], `${PASSWORD}\n`);
    await expect.poll(async () => (await run(['token'])).stderr).toContain('no valid token');
  });

  it('a wrong password is refused, and keeps nothing', async () => {
    const { code, stderr } = await run(['login', 'anna'], 'wrong\n');
    expect(code).toBe(1);
    expect(stderr).toContain('(401)');
    expect((await run(['token'])).code).toBe(1);
  });
});
