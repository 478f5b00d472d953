import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Redis for tests. */
export interface StartedRedis {
  /** Without a database. */
  readonly url: string;
  /** Ends it, if it is ours. */
  close(): Promise<void>;
}

/** Says so where tests are left out, or fails where they must not be. @returns whether to run them */
export function hasRedis(): boolean {
  if (process.env['MILLRACE_TEST_REDIS'] !== undefined) return true;
  if (spawnSync('redis-server', ['--version']).status === 0) return true;
  if (process.env['MILLRACE_TEST_REQUIRE'] === '1')
    throw new Error('MILLRACE_TEST_REQUIRE=1, but there is neither MILLRACE_TEST_REDIS nor redis-server');
  console.log('Redis tests are skipped: set MILLRACE_TEST_REDIS to an address, or install redis-server');
  return false;
}

/**
 * The server named by `MILLRACE_TEST_REDIS`, or a new one on a free port.
 * @param dir keeps its data there @param more flags of `redis-server`
 */
export async function startRedis(
  port?: number,
  { dir, more = [] }: { readonly dir?: string; readonly more?: readonly string[] } = {},
): Promise<StartedRedis> {
  const named = process.env['MILLRACE_TEST_REDIS'];
  if (named !== undefined && port === undefined && more.length === 0)
    return { url: named, close: async () => undefined };
  const folder = dir ?? (await mkdtemp(join(tmpdir(), 'millrace-redis-')));
  const chosen = port ?? (await freePort());
  const flags = [
    '--port',
    String(chosen),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    dir === undefined ? 'no' : 'yes',
    ...more,
  ];
  const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  await ready(child);
  return {
    url: `redis://127.0.0.1:${chosen}`,
    close: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
      if (dir === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ready to accept connections')) resolve();
    });
  });
}
