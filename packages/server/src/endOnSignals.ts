/** A terminal and a package runner both pass on Ctrl-C: what comes so soon is the same signal. */
const SAME_SIGNAL_MS = 250;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** What ends with the process. */
export interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Ends the process in order on SIGTERM and SIGINT, with exit code 0, and after an uncaught bug, with 1. It ends at
 * once on a second signal, by that signal, and after `limitMs` in any case.
 */
export function endOnSignals(kernel: Stoppable, limitMs: number): void {
  let endingSinceMs: number | undefined;
  const end = (code: number): void => {
    if (endingSinceMs !== undefined) return;
    endingSinceMs = performance.now();
    // A start that is still under way has deadlines of its own, which may be longer.
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
 * Ends the process as a signal that nothing handles would. `process.exit` would wait for the threads, and aborts where one of
 * them is within a call of SQLite.
 */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
