import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { localAuth } from '@millrace/auth-local';
import { Kernel, type KernelOptions } from '@millrace/server';
import { silentLogger, type JsonObject } from '@millrace/kernel';

/** Of users who may do all. */
export const ADMIN = { _id: 'ada', profileIds: ['admin'] };

/** A server without a port on a folder. */
export interface OpenServer {
  readonly kernel: Kernel;
  /** Asks as `options.user`, else as the anonymous user. @throws the error of the answer */
  ask(fields: JsonObject): Promise<JsonObject>;
}

export async function openServer(
  dataDir: string,
  config: JsonObject = {},
  options: Pick<KernelOptions, 'logger'> & { readonly user?: typeof ADMIN } = {},
): Promise<OpenServer> {
  const kernel = new Kernel({
    config: { http: { listen: false }, server: { dataDir }, ...config },
    plugins: [localAuth()],
    logger: options.logger ?? silentLogger,
  });
  await kernel.start();
  return {
    kernel,
    ask: async (fields) => {
      const { user } = options;
      const answer = await kernel.execute<string, string>(fields, user && { user });
      const { error, status } = answer;
      if (error !== null) throw Object.assign(new Error(error.message as string), { id: error.id, status });
      return answer.result as JsonObject;
    },
  };
}

/** A backup as `server.backups` shows it. */
export interface ShownBackup {
  readonly name: string;
  readonly state: string;
  readonly documents: number;
  readonly reason?: string;
}

export async function listBackups({ ask }: OpenServer): Promise<readonly ShownBackup[]> {
  const { hits } = await ask({ controller: 'server', action: 'backups' });
  return hits as unknown as readonly ShownBackup[];
}

/** Makes a backup and waits for it. */
export async function backUp(server: OpenServer, note = ''): Promise<ShownBackup> {
  const { name } = await server.ask({ controller: 'server', action: 'backup', note });
  for (;;) {
    const found = (await listBackups(server)).find((each) => each.name === name);
    if (found !== undefined && found.state !== 'running') return found;
    await pause(10);
  }
}

/** Runs with a new folder, which is removed afterwards. */
export async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-backup-'));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
