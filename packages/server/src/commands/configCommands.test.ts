import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runTestCommand } from './runTestCommand.test.support.js';

const SECRET = 'hush-hush-0123456789-abcdefghijklm';

describe('config', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-config-'));
    await writeFile(
      join(folder, 'millrace.config.json'),
      JSON.stringify({
        http: { port: 1 },
        log: { level: 'error' },
        security: { jwt: { secret: SECRET } },
      }),
    );
    await writeFile(
      join(folder, 'bad.json'),
      JSON.stringify({ http: { port: 'eighty', prot: 1 }, security: { jwt: { secret: 'hush' } } }),
    );
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = (...args: readonly string[]) =>
    runTestCommand(args, {
      folder,
      environment: { MILLRACE_HTTP_PORT: '2', MILLRACE_SERVER_NAME: 'mine' },
    });

  it('CLI-4 shows each value with its source, and no secret', async () => {
    const { code, stdout } = await run('config', 'show', '--server.dataDir', './here', '--json');
    expect(code).toBe(0);
    const rows = JSON.parse(stdout) as { key: string }[];
    const row = (key: string) => rows.find((each) => each.key === key);
    expect(row('http.port')).toEqual({ key: 'http.port', value: 2, source: 'MILLRACE_HTTP_PORT' });
    expect(row('log.level')).toMatchObject({ value: 'error', source: 'millrace.config.json' });
    expect(row('server.dataDir')).toMatchObject({ value: './here', source: '--server.dataDir' });
    expect(row('mqtt.port')).toMatchObject({ source: 'default of plugin protocol-mqtt' });
    expect(row('statistics.intervalMs')).toMatchObject({ value: 10_000, source: 'default' });
    expect(row('security.jwt.secret')).toMatchObject({ value: '[redacted]' });
    expect(stdout).not.toContain('hush');
  });

  it('names the package of a plugin that is not installed', async () => {
    const args = ['config', 'check', '--oauth2.providers', '{}'];
    const { code, stdout } = await runTestCommand(args, { folder, plugins: async () => [] });
    expect(code).toBe(1);
    expect(stdout).toContain('oauth2.providers');
    expect(stdout).toContain('npm install @millrace/auth-oauth2');
  });

  it('shows only what is set with --changed', async () => {
    const { stdout } = await run('config', 'show', '--changed');
    expect(stdout.trim().split('\n')).toHaveLength(4);
    expect(stdout).toMatch(/^http\.port +2 +MILLRACE_HTTP_PORT$/m);
  });

  it('CLI-5 lists every fault with its key and the expected form', async () => {
    const { code, stdout } = await run('config', 'check', '--config', 'bad.json', '--log.level', 'loud');
    expect(code).toBe(1);
    expect(stdout).toContain('Unknown configuration key http.prot (bad.json)');
    expect(stdout).toContain('Invalid configuration security.jwt.secret: must be at least 32');
    expect(stdout).toContain('Invalid configuration log.level: must be one of the possible values');
    expect(stdout).not.toContain('hush');
    expect(await run('config', 'show', '--config', 'bad.json')).toMatchObject({ code: 1 });
  });

  it('CLI-5 finds keys that contradict each other, and a file that can not be read', async () => {
    const json = await run('config', 'check', '--cluster.enabled', 'true', '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      isValid: false,
      faults: [{ problem: expect.stringContaining('cluster.redis.url') as unknown }],
    });
    const absent = await run('config', 'check', '--config', 'none.json');
    expect(absent.stdout).toContain('none.json does not exist');
    await writeFile(join(folder, 'cert.pem'), 'none');
    const tls = ['--http.tls.certFile', 'cert.pem', '--mqtt.tls.certFile', 'absent.pem'];
    expect((await run('config', 'check', ...tls)).stdout.split('\n')).toEqual([
      'mqtt.tls.certFile: absent.pem: ENOENT',
      expect.stringContaining('http.tls.certFile: cert.pem: '),
      '',
    ]);
    expect(await run('config', 'check')).toMatchObject({
      code: 0,
      stdout: 'The configuration is valid\n',
    });
  });
});
