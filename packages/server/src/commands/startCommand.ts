import { isJsonObject, type ListeningAddress } from '@millrace/kernel';
import { dropWriter } from '../modules/ahead.js';
import { isTextLog, type LogConfig } from '../logging/createLogger.js';
import { Kernel } from '../Kernel.js';
import type { ServerConfig } from '../config.js';
import type { Command } from './Command.js';

/** Terminal and package runner both forward Ctrl-C: a repetition within this time is the same signal. */
const SAME_SIGNAL_MS = 250;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Runs a server in this process: addresses on standard output; SIGTERM and SIGINT drain and exit with 0, a second one
 * exits at once.
 */
export const startCommand: Command = {
  name: 'start',
  summary: 'Runs a server until SIGTERM or SIGINT',
  usesConfig: true,
  hasResult: false,
  run: async (call) => {
    const { onStarted, stdout, stderr } = call.context;
    const kernel = new Kernel(await call.kernelOptions());
    endOnSignals(kernel, 2 * kernel.config.section<ServerConfig>('server').stopTimeoutMs);
    try {
      const addresses = await kernel.start();
      dropWriter();
      await onStarted?.(kernel, addresses);
      for (const { url, protocol } of addresses) stdout.write(`Millrace listens on ${url} (${protocol})\n`);
      if (isTextLog(kernel.config.section<LogConfig>('log'))) stderr.write(await firstSteps(kernel, addresses));
    } catch (error) {
      await kernel.stop();
      throw error;
    }
    return undefined;
  },
};

/**
 * Next steps for a person who has just started a server, as lines for a terminal. Empty if the server has no HTTP.
 */
async function firstSteps(kernel: Kernel, addresses: readonly ListeningAddress[]): Promise<string> {
  const url = addresses.find(({ protocol }) => protocol === 'http')?.url;
  if (url === undefined) return '';
  const { result } = await kernel.execute({ controller: 'server', action: 'adminExists' });
  if (!isJsonObject(result) || result['exists'] !== false) return `\nTry: curl ${url}/_healthCheck\n`;
  const { openUntilFirstAdmin } = kernel.config.section<{ openUntilFirstAdmin: boolean }>('security');
  const body = {
    _id: 'admin',
    password: 'choose a long one',
    ...(openUntilFirstAdmin ? undefined : { setupToken: 'the one in the log above' }),
  };
  return `
Try: curl ${url}/_healthCheck
Lock the server down: create the administrator, and from then on no other client may read or write without a login.

  curl -X POST ${url}/_createFirstAdmin -H 'Content-Type: application/json' \\
    -d '${JSON.stringify(body)}'

`;
}

/**
 * Exits the process gracefully on SIGTERM and SIGINT with exit code 0, and after an uncaught error with 1. A second
 * signal terminates it at once, and so does the expiry of `limitMs`.
 */
function endOnSignals(kernel: Kernel, limitMs: number): void {
  let endingSinceMs: number | undefined;
  const end = (code: number): void => {
    if (endingSinceMs !== undefined) return;
    endingSinceMs = performance.now();
    // A start in progress has separate deadlines, which may be longer.
    setTimeout(() => process.exit(1), limitMs).unref();
    void kernel.stop().then(() => process.exit(code));
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      const sinceMs = performance.now() - (endingSinceMs ?? Infinity);
      if (sinceMs > SAME_SIGNAL_MS) endBy(signal);
      else end(0);
    });
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`millrace: ${event}: ${text}\n`);
      end(1);
    });
  }
}

/**
 * Terminates the process like an unhandled signal. `process.exit` would wait for the threads, and aborts if one of
 * them is inside a call of SQLite.
 */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
