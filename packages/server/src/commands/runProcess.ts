import type { ListeningAddress, Plugin } from '@millrace/kernel';
import { runCommandLine } from './runCommandLine.js';
import type { Kernel } from '../Kernel.js';

/** Additions of a process to a plain server. */
export interface ProcessOptions {
  /** A function is called once it is known that the command needs them. */
  readonly plugins?: readonly Plugin[] | (() => Promise<readonly Plugin[]>);
  /** Runs once every entrypoint is listening, before the addresses are printed. */
  readonly onStarted?: (kernel: Kernel, addresses: readonly ListeningAddress[]) => Promise<void>;
}

/** Permissions of group and others. */
const OF_OTHERS = 0o077;

/**
 * Runs the command line as this process; without a command a server: configuration from file, `MILLRACE_*` and
 * options. A failed command exits with 1, a wrong call with 2.
 */
export async function runProcess(args: readonly string[], options: ProcessOptions = {}): Promise<void> {
  const { plugins = [], ...others } = options;
  quietBrokenPipes();
  // Files created by this process are private to its owner. A kernel embedded in another program doesn't change the
  // mask.
  process.umask(process.umask() | OF_OTHERS);
  const code = await runCommandLine(args, {
    ...others,
    plugins: typeof plugins === 'function' ? plugins : async () => plugins,
    environment: process.env,
    folder: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  });
  if (code !== 0) process.exit(code);
}

/**
 * Lets a process continue, or exit, silently when the reader of its output has closed the pipe (`millrace --help |
 * head`). Without a listener the EPIPE is an uncaught exception.
 */
function quietBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
