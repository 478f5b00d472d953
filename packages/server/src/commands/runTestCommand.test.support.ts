import { Readable, Writable } from 'node:stream';
import type { Plugin } from '@millrace/kernel';
import { shippedPlugins } from '../plugins/shippedPlugins.js';
import { runCommandLine } from './runCommandLine.js';

/** What a command did. */
export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process, without a terminal. */
export async function runTestCommand(
  args: readonly string[],
  options: {
    readonly folder?: string;
    readonly environment?: Readonly<Record<string, string>>;
    readonly stdin?: string | Buffer;
    readonly plugins?: () => Promise<readonly Plugin[]>;
  } = {},
): Promise<CommandOutcome> {
  const written = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        written[name] += chunk.toString();
        done();
      },
    });
  const code = await runCommandLine(args, {
    plugins: options.plugins ?? (async () => shippedPlugins()),
    environment: options.environment ?? {},
    folder: options.folder ?? '/',
    stdin: Readable.from(options.stdin === undefined ? [] : [options.stdin]),
    stdout: into('stdout'),
    stderr: into('stderr'),
  });
  return { code, ...written };
}
