import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedPlugins } from '@millrace/server';
import { startTestKernel } from '@millrace/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runTestCommand } from '../../packages/server/src/commands/runTestCommand.test.support.js';
import { checkClock } from '../../packages/server/src/doctor/checkClock.js';
import { assessSpace } from '../../packages/server/src/doctor/checkDataDirectory.js';
import { checkProcess } from '../../packages/server/src/doctor/checkProcess.js';
import { assessExpiry } from '../../packages/server/src/doctor/checkTls.js';
import { openDatabase } from '../../packages/storage-sqlite/src/openDatabase.js';
import { freePort, hasRedis, startRedis } from '../memory/startRedis.js';
import { createCertificate } from '../tls/createCertificate.js';

interface Found {
  readonly id: string;
  readonly level: string;
  readonly saw: string;
  readonly mend: string;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));

describe('doctor', () => {
  let folder = '';
  const open: Server[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-doctor-'));
  });
  afterEach(async () => {
    for (const server of open.splice(0)) server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs it on free ports, so that only what a test breaks is broken. */
  const examine = async (
    args: readonly string[] = [],
    environment: Record<string, string> = {},
    plugins?: () => Promise<never>,
  ) => {
    const ports = ['HTTP', 'WEBSOCKET', 'FALLBACK', 'MQTT'].map((name) => [`MILLRACE_${name}_PORT`, '0']);
    const outcome = await runTestCommand(['doctor', '--json', ...args], {
      folder,
      environment: { ...(Object.fromEntries(ports) as object), ...environment },
      ...(plugins && { plugins }),
    });
    const findings = JSON.parse(outcome.stdout) as Found[];
    const bad = findings.filter(({ level }) => level !== 'ok');
    return {
      code: outcome.code,
      findings,
      bad,
      find: (id: string) => bad.find((each) => each.id === id),
    };
  };

  it('CLI-14 finds nothing wrong with a good installation, and changes nothing', async () => {
    const { code, findings } = await examine();
    expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
    expect(code).toBe(0);
    expect(findings.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['configuration', 'node-version', 'disk-space', 'port', 'default-secret']),
    );
    const { stdout } = await runTestCommand(['doctor', '--http.port', '0'], { folder });
    expect(stdout).toMatch(/^ok +the configuration is valid$/m);
  });

  it('finds faults of the configuration, its file and plugins', async () => {
    const key = await examine(['--http.maxConnections=-1']);
    expect(key.find('configuration-key')?.saw).toContain('http.maxConnections');
    expect(key.code).toBe(1);
    await writeFile(join(folder, 'millrace.config.json'), '{');
    expect((await examine()).find('configuration')?.saw).toContain('is not valid JSON');
    const broken = await examine([], {}, async () => Promise.reject(new Error('no such module')));
    expect(broken.find('plugin')?.saw).toContain('no such module');
    expect(broken.code).toBe(1);
  });

  it('judges Node.js, open files and memory', () => {
    const good = {
      nodeVersion: 'v24.1.0',
      descriptors: 65_536,
      heapLimit: 2 ** 31,
      memoryLimit: 2 ** 33,
    };
    const levels = (facts: object) => checkProcess({ ...good, ...facts }).map(({ level }) => level);
    expect(levels({})).toEqual(['ok', 'ok', 'ok']);
    expect(levels({ nodeVersion: 'v20.18.9' })).toEqual(['error', 'ok', 'ok']);
    expect(levels({ descriptors: 1_024 })).toEqual(['ok', 'warning', 'ok']);
    expect(levels({ descriptors: undefined })).toEqual(['ok', 'ok', 'ok']);
    expect(levels({ heapLimit: 2 ** 28 })).toEqual(['ok', 'ok', 'warning']);
    expect(levels({ memoryLimit: 2 ** 30 })).toEqual(['ok', 'ok', 'warning']);
  });

  it('judges free space, clocks and certificates', () => {
    const spaces = [2 ** 20, 2 ** 29, 2 ** 31].map((bytes) => assessSpace('/data', bytes).level);
    expect(spaces).toEqual(['error', 'warning', 'ok']);
    const clocks = [Date.now() - 60_000, Date.now()].map((at) => checkClock('clock', 'x', at, 10).level);
    expect(clocks).toEqual(['warning', 'ok']);
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toUTCString();
    const dates = [-2, 3, 90].map((days) => assessExpiry('cert.pem', at(days)).id);
    expect(dates).toEqual(['tls-expired', 'tls-expiring', 'tls']);
  });

  it('finds ports that are taken, and addresses of other machines', async () => {
    const other = createServer();
    open.push(other);
    await listen(other);
    const { find, code } = await examine(['--mqtt.port', String(portOf(other)), '--websocket.host', '192.0.2.1']);
    expect(code).toBe(1);
    expect(find('port-taken')?.saw).toContain(`mqtt: 127.0.0.1:${portOf(other)}`);
    expect(find('host-unknown')?.saw).toContain('192.0.2.1');
    const same = await examine(['--mqtt.port', '7599', '--http.port', '7599']);
    expect(same.find('configuration')?.saw).toMatch(/\.port: 7599 is (http|mqtt)\.port already/);
  });

  it('knows the ports of the server that uses the data directory', async () => {
    const server = await startTestKernel({
      config: { server: { dataDir: folder } },
      plugins: shippedPlugins(),
    });
    try {
      const { port } = new URL(server.url);
      const { find, findings } = await examine(['--http.port', port, '--server.dataDir', folder]);
      expect(find('port-taken')).toBeUndefined();
      expect(findings.some(({ saw }) => saw.includes('a server uses it'))).toBe(true);
    } finally {
      await server.close();
    }
  });

  it('finds a data directory that can not be used, or is of another version, or public', async () => {
    await writeFile(join(folder, 'taken'), '');
    expect((await examine(['--server.dataDir', 'taken'])).find('data-directory')?.saw).toContain('is no folder');
    await symlink(join(folder, 'gone'), join(folder, 'link'));
    const dangling = await examine(['--server.dataDir', 'link']);
    expect(dangling.find('data-directory')?.saw).toContain('which does not exist');
    const data = join(folder, 'data');
    await mkdir(data);
    await chmod(data, 0o755);
    const database = openDatabase(join(data, 'millrace.db'));
    database.exec(`CREATE TABLE meta(key TEXT PRIMARY KEY, value); INSERT INTO meta VALUES('format', 99)`);
    database.close();
    const { find, code } = await examine();
    expect(code).toBe(1);
    expect(find('data-format')?.saw).toContain('it has format 99');
    expect(find('data-directory-mode')?.saw).toContain('mode 755');
  });

  it('finds servers that strangers can reach, and proxies that are not trusted', async () => {
    const open = await examine(['--http.host', '0.0.0.0']);
    expect(open.find('open-on-network')?.level).toBe('warning');
    const allowed = await examine(['--http.host', '0.0.0.0', '--security.allowOpenOnNetwork', 'true']);
    expect(allowed.find('open-on-network')?.level).toBe('error');
    const closed = await examine(['--http.host', '0.0.0.0'], { NODE_ENV: 'production' });
    expect(closed.find('open-on-network')).toBeUndefined();

    const proxied = await examine([], { NODE_ENV: 'production' });
    expect(proxied.find('proxy-not-trusted')?.mend).toContain('http.trustedProxies');
    const trusted = await examine(['--http.trustedProxies', '127.0.0.1'], {
      NODE_ENV: 'production',
    });
    expect(trusted.find('proxy-not-trusted')).toBeUndefined();
  });

  it('finds secrets that others know or can read, without showing them', async () => {
    const secret = 'changeme-changeme-abcdefghijklmnopq';
    const file = join(folder, 'millrace.config.json');
    await writeFile(file, JSON.stringify({ security: { jwt: { secret } } }), { mode: 0o644 });
    await chmod(file, 0o644);
    const { find, code, findings } = await examine();
    expect(code).toBe(1);
    expect(find('default-secret')?.level).toBe('error');
    expect(find('secrets-readable')?.saw).toContain('security.jwt.secret');
    expect(JSON.stringify(findings)).not.toContain('changeme');
    await chmod(file, 0o600);
    expect((await examine()).find('secrets-readable')).toBeUndefined();
  });

  it('finds certificates that are missing, of another key, or expire soon', async () => {
    const [one, two] = [createCertificate(), createCertificate()];
    const tls = (certFile: string, keyFile: string) =>
      examine(['--http.tls.certFile', certFile, '--http.tls.keyFile', keyFile]);
    const absent = await tls(one.certFile, join(folder, 'none.pem'));
    expect(absent.find('tls-files')?.saw).toMatch(/^http\.tls\.keyFile: .*none\.pem: ENOENT$/);
    expect((await tls(one.certFile, '')).find('tls-files')?.saw).toContain('keyFile: no file');
    expect((await tls(one.certFile, two.keyFile)).bad.map(({ saw }) => saw).join()).toContain('key');
    expect((await tls(one.certFile, one.keyFile)).find('tls-expiring')?.level).toBe('warning');
  });

  it('finds an Elasticsearch that is away, too old or red', async () => {
    const at = (node: string) => examine(['--storage.engine', 'elasticsearch', '--storage.elasticsearch.node', node]);
    const away = await at('http://me:hush@127.0.0.1:9');
    expect(away.find('elasticsearch-unreachable')?.saw).toContain('ECONNREFUSED');
    expect(JSON.stringify(away.bad)).not.toContain('hush');
    const page = createHttpServer((_, response) => void response.end('<html>'));
    open.push(page);
    await listen(page);
    const html = await at(`http://127.0.0.1:${portOf(page)}`);
    expect(html.find('elasticsearch-unreachable')?.saw).toContain('no JSON');
    const answers: Record<string, object> = {
      '/': { version: { number: '7.17.0' } },
      '/_cluster/health': { status: 'red' },
      '/_nodes/_local/stats/os': { nodes: { a: { timestamp: Date.now() - 3_600_000 } } },
    };
    const stand = createHttpServer((request, response) => {
      response.end(JSON.stringify(answers[request.url ?? '']));
    });
    open.push(stand);
    await listen(stand);
    const { find, findings } = await at(`http://127.0.0.1:${portOf(stand)}`);
    expect(findings).toContainEqual(expect.objectContaining({ id: 'change-log', level: 'ok' }));
    expect(find('elasticsearch-version')?.saw).toContain('7.17.0');
    expect(find('elasticsearch-health')?.level).toBe('error');
    expect(find('clock-elasticsearch')?.level).toBe('warning');
  });

  it('finds a Redis that is away', async () => {
    const redis = `redis://:hush@127.0.0.1:${await freePort()}`;
    const { find, bad } = await examine(['--memoryStore.engine', 'redis', '--memoryStore.redis.url', redis]);
    expect(find('redis-unreachable')?.saw).toContain('ECONNREFUSED');
    expect(JSON.stringify(bad)).not.toContain('hush');
  });

  it.skipIf(!hasRedis())('finds a Redis that drops keys, or refuses the login', async () => {
    const more = ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'];
    const redis = await startRedis(await freePort(), { more });
    try {
      const at = (url: string) => examine(['--memoryStore.engine', 'redis', '--memoryStore.redis.url', url]);
      const { find, findings } = await at(redis.url);
      expect(find('redis-eviction')?.saw).toContain('allkeys-lru');
      expect(findings.find(({ id }) => id === 'clock-redis')?.level).toBe('ok');
      const refused = await at(redis.url.replace('//', '//nobody:wrong@'));
      expect(refused.find('redis-unreachable')?.saw).toContain('WRONGPASS');
    } finally {
      await redis.close();
    }
  });

  it('finds backups that are missing or old', async () => {
    const scheduled = ['--backup.schedule', '0 3 * * *', '--backup.directory', 'backups'];
    expect((await examine(scheduled)).find('backup-missing')?.mend).toContain('millrace backup');
    await writeFile(join(folder, 'file'), '');
    const blocked = await examine([...scheduled.slice(0, 3), 'file/backups']);
    expect(blocked.find('backup-directory')?.saw).toBe(`${join(folder, 'file')} is no folder`);
    const name = '2026-01-01T03-00-00-000Z';
    await mkdir(join(folder, 'backups', name), { recursive: true });
    const manifest = { format: 1, name, startedAt: Date.UTC(2026, 0, 1, 3) };
    await writeFile(join(folder, 'backups', name, 'manifest.json'), JSON.stringify(manifest));
    expect((await examine(scheduled)).find('backup-old')?.saw).toContain('hours old');
    expect((await examine()).bad.filter(({ id }) => id.startsWith('backup'))).toEqual([]);
  });
});
