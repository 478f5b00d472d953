import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built command line. */
export const BIN = fileURLToPath(new URL('../../packages/server/bin/millrace.js', import.meta.url));

// Of the protocols that a test isn't about.
const FREE_PORTS = {
  MILLRACE_WEBSOCKET_PORT: '0',
  MILLRACE_FALLBACK_PORT: '0',
  MILLRACE_MQTT_PORT: '0',
};

/** A running `millrace` process. */
export interface MillraceProcess {
  readonly pid: number;
  /** Everything written so far. */
  output(): string;
  /** Resolves with the address once it listens; rejects when the process ends before. */
  readonly listening: Promise<string>;
  /** Resolves with the exit code, null after a signal. */
  readonly ended: Promise<number | null>;
  /** Resolves with the signal that ended it, null where it exited. */
  readonly endedBy: Promise<NodeJS.Signals | null>;
  signal(name: NodeJS.Signals): void;
}

/**
 * Runs the built command line in a folder.
 * @param options.maxDescriptors how many files, sockets among them, it may have open
 */
export function runMillrace(
  folder: string,
  args: readonly string[] = [],
  environment: Record<string, string> = {},
  { maxDescriptors, ...options }: { readonly uid?: number; readonly maxDescriptors?: number } = {},
): MillraceProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MILLRACE_'));
  const command = [process.execPath, BIN, ...args];
  // The limit is for the shell and what takes its place.
  const limited = ['sh', '-c', `ulimit -n ${maxDescriptors}; exec "$@"`, 'sh', ...command];
  const [file = '', ...rest] = maxDescriptors === undefined ? command : limited;
  const child = spawn(file, rest, {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), ...FREE_PORTS, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  let output = '';
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const ended = closed.then(([code]) => code);
  const listening = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = /listens on (http:\S+) \(http\)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then((code) => reject(new Error(`ended with ${code}: ${output}`)));
  });
  // Tests of failing starts don't wait for it.
  listening.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    output: () => output,
    listening,
    ended,
    endedBy: closed.then(([, signal]) => signal),
    signal: (name) => child.kill(name),
  };
}

/** Runs `test` in a temporary folder. */
export async function inTemporaryFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-process-'));
  try {
    await test(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
