/** Terminal and package runner both forward Ctrl-C: a repetition within this time is the same signal. */
const SAME_SIGNAL_MS = 250;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Stopped before the process exits. */
export interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Exits the process gracefully on SIGTERM and SIGINT with exit code 0, and after an uncaught error with 1. A second
 * signal terminates it at once, and so does the expiry of `limitMs`.
 */
export function endOnSignals(kernel: Stoppable, limitMs: number): void {
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
