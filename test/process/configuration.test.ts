import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inTemporaryFolder, runMillrace } from './runMillrace.js';

interface BadStart {
  readonly title: string;
  readonly args?: readonly string[];
  readonly environment?: Record<string, string>;
  readonly file?: readonly [name: string, content: string];
  /** What the line must say. */
  readonly words: readonly string[];
  /** What it must not: a secret. */
  readonly hidden?: string;
}

const json = (content: object): readonly [string, string] => ['millrace.config.json', JSON.stringify(content)];

const BAD_STARTS: readonly BadStart[] = [
  {
    title: 'a port that is no number',
    environment: { MILLRACE_HTTP_PORT: 'abc' },
    words: ['http.port', 'abc'],
  },
  {
    title: 'a port with a unit',
    environment: { MILLRACE_HTTP_PORT: '80x' },
    words: ['http.port', '80x'],
  },
  { title: 'a port out of range', args: ['--http.port', '65536'], words: ['http.port', '65536'] },
  { title: 'a negative port', args: ['--http.port=-1'], words: ['http.port', '-1'] },
  { title: 'a fractional port', args: ['--http.port', '1.5'], words: ['http.port', '1.5'] },
  {
    title: 'an interval that is null',
    file: json({ statistics: { intervalMs: null } }),
    words: ['statistics.intervalMs', 'null'],
  },
  { title: 'an empty host', environment: { MILLRACE_HTTP_HOST: ' ' }, words: ['http.host'] },
  {
    title: 'an unknown variable',
    environment: { MILLRACE_HTTP_PROT: '1' },
    words: ['MILLRACE_HTTP_PROT'],
  },
  { title: 'an unknown key', file: json({ http: { prot: 1 } }), words: ['http.prot'] },
  { title: 'an unknown section', file: json({ htpp: { port: 1 } }), words: ['htpp'] },
  { title: 'a section that is a number', file: json({ http: 7 }), words: ['http'] },
  {
    title: 'a file that is a list',
    file: ['millrace.config.json', '[]'],
    words: ['millrace.config.json'],
  },
  {
    title: 'a file that is no JSON',
    file: ['millrace.config.json', '{oops'],
    words: ['millrace.config.json'],
  },
  {
    title: 'a module that throws',
    file: ['millrace.config.mjs', 'throw new Error("boom")'],
    words: ['millrace.config.mjs', 'boom'],
  },
  {
    title: 'a module without default export',
    file: ['millrace.config.mjs', 'export const a = 1'],
    words: ['millrace.config.mjs'],
  },
  { title: 'a file that is not there', args: ['--config', 'none.json'], words: ['none.json'] },
  {
    title: 'a service name in capitals',
    environment: { MILLRACE_SERVER_NAME: 'Millrace' },
    words: ['server.name', 'Millrace'],
  },
  {
    title: 'a service name that is a socket event',
    environment: { MILLRACE_SERVER_NAME: 'disconnect' },
    words: ['server.name', 'disconnect'],
  },
  {
    title: 'an internal index without %',
    args: ['--server.internalIndex', 'system'],
    words: ['server.internalIndex', 'system'],
  },
  {
    title: 'an empty data folder',
    environment: { MILLRACE_SERVER_DATA_DIR: '' },
    words: ['server.dataDir'],
  },
  {
    title: 'a data folder that is a file',
    environment: { MILLRACE_SERVER_DATA_DIR: 'taken' },
    file: ['taken', ''],
    words: ['taken'],
  },
  {
    title: 'a boolean in other words',
    environment: { MILLRACE_SERVER_EXPOSE_STACK: 'yes' },
    words: ['server.exposeStack', 'yes'],
  },
  { title: 'an unknown log level', args: ['--log.level', 'loud'], words: ['log.level', 'loud'] },
  {
    title: 'an unknown storage engine',
    environment: { MILLRACE_STORAGE_ENGINE: 'mongo' },
    words: ['storage.engine', 'mongo', 'sqlite'],
  },
  {
    title: 'an unknown memory-store engine',
    environment: { MILLRACE_MEMORY_STORE_ENGINE: 'memcached' },
    words: ['memoryStore.engine', 'memcached', 'embedded'],
  },
  {
    title: 'a cluster without an address',
    environment: { MILLRACE_CLUSTER_ENABLED: 'true' },
    words: ['cluster.redis.url', 'address of Redis'],
  },
  {
    title: 'an interval of nothing',
    args: ['--statistics.intervalMs', '0'],
    words: ['statistics.intervalMs', '0'],
  },
  {
    title: 'settings of providers that are no JSON',
    args: ['--oauth2.providers', 'hunter2'],
    words: ['oauth2.providers', 'expected JSON'],
    hidden: 'hunter2',
  },
  {
    title: 'settings of providers in the environment that are no JSON',
    environment: { MILLRACE_SAML_PROVIDERS: '{"idp": hunter2' },
    words: ['saml.providers', 'expected JSON', 'MILLRACE_SAML_PROVIDERS'],
    hidden: 'hunter2',
  },
  {
    title: 'a secret that is too short',
    args: ['--security.jwt.secret', 'hunter2'],
    words: ['security.jwt.secret'],
    hidden: 'hunter2',
  },
  {
    title: 'an address with a login that is no address of Redis',
    environment: { MILLRACE_CLUSTER_REDIS_URL: 'http://me:hunter2@host' },
    words: ['cluster.redis.url'],
    hidden: 'hunter2',
  },
  {
    title: 'a misspelt variable of a secret',
    environment: { MILLRACE_SECURITY_JWT_SECRT: 'hunter2' },
    words: ['MILLRACE_SECURITY_JWT_SECRT'],
    hidden: 'hunter2',
  },
  {
    title: 'a file with a secret that is no JSON',
    file: ['millrace.config.json', '{"security": {"jwt": {"secret":\nhunter2}}, "http": {"port": 0}}'],
    words: ['millrace.config.json', 'not valid JSON (line 2)'],
    hidden: 'hunter2',
  },
  {
    title: 'a TypeScript file where node strips no types',
    file: ['millrace.config.ts', 'export default 5'],
    words: ['millrace.config.ts'],
  },
];

describe('a bad configuration stops the start', () => {
  it.concurrent.each(BAD_STARTS)('$title', async (badStart) => {
    const { args, environment, file, words, hidden } = badStart;
    await inTemporaryFolder(async (folder) => {
      if (file !== undefined) await writeFile(join(folder, file[0]), file[1]);
      const millrace = runMillrace(folder, args, { MILLRACE_HTTP_PORT: '0', ...environment });
      expect(await millrace.ended).toBe(1);
      const lines = millrace.output().trim().split('\n');
      expect(lines).toHaveLength(1);
      for (const word of words) expect(lines[0]).toContain(word);
      if (hidden !== undefined) expect(lines[0]).not.toContain(hidden);
    });
  });
});

async function ask(method: string, url: string, jwt?: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(jwt !== undefined && { authorization: `Bearer ${jwt}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return ((await response.json()) as { result: unknown }).result;
}

/** Makes the first administrator of a server. @returns a token */
async function administrator(url: string): Promise<string> {
  const password = 'a password of some length';
  await ask('POST', `${url}/users/chief/_createFirstAdmin`, undefined, { password });
  const body = { username: 'chief', password };
  const { jwt } = (await ask('POST', `${url}/_login`, undefined, body)) as { jwt: string };
  return jwt;
}

describe('a good configuration', () => {
  it('is merged from file, environment and flags', async () => {
    await inTemporaryFolder(async (folder) => {
      await writeFile(
        join(folder, 'millrace.config.mjs'),
        'export default { server: { name: "fromfile" }, log: { level: "error" } }',
      );
      const millrace = runMillrace(folder, ['--http.port', '0'], {
        MILLRACE_HTTP_PORT: '1',
        MILLRACE_STATISTICS_INTERVAL_MS: '5000',
      });
      const url = await millrace.listening;
      expect((await fetch(`${url}/_getConfig`)).status).toBe(401);
      const config = await ask('GET', `${url}/_getConfig`, await administrator(url));
      expect(config).toMatchObject({
        server: { name: 'fromfile' },
        statistics: { intervalMs: 5000 },
        http: { port: 0 },
      });
      millrace.signal('SIGTERM');
      expect(await millrace.ended).toBe(0);
    });
  });

  it('--help lists every key, --version prints the version', async () => {
    await inTemporaryFolder(async (folder) => {
      const help = runMillrace(folder, ['--help']);
      expect(await help.ended).toBe(0);
      expect(help.output()).toContain('--http.maxBodySize');
      expect(help.output()).toContain('MILLRACE_HTTP_MAX_BODY_SIZE');
      const version = runMillrace(folder, ['--version']);
      expect(await version.ended).toBe(0);
      expect(version.output()).toMatch(/^\d+\.\d+\.\d+\n$/);
    });
  });
});
