import { openSync, readSync, closeSync } from 'node:fs';

/**
 * Watches the turns of the event loop. Unlike the wait of a timer, both figures leave out other processes of a busy machine.
 * @returns ends it: the longest turn in milliseconds, by its processor time (`processorMs`), and by the clock without the
 *   wait for a processor (`ownMs`): that has what the thread was blocked by, such as a file or helpers of the garbage
 *   collector. Undefined where the system doesn't tell (not Linux).
 */
export function watchTurns() {
  let file;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return () => undefined;
  }
  const bytes = Buffer.alloc(64);
  /** Milliseconds on a processor, and in the queue for one. */
  const read = () => {
    const [onMs, queuedMs] = bytes
      .toString('latin1', 0, readSync(file, bytes, 0, 64, 0))
      .split(' ')
      .map((part) => Number(part) / 1e6);
    return { onMs, queuedMs, clockMs: performance.now() };
  };
  let [processorMs, ownMs, last, isOn] = [0, 0, read(), true];
  const turn = () => {
    if (!isOn) return;
    const now = read();
    processorMs = Math.max(processorMs, now.onMs - last.onMs);
    ownMs = Math.max(ownMs, now.clockMs - last.clockMs - (now.queuedMs - last.queuedMs));
    last = now;
    setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOn = false;
    closeSync(file);
    return { processorMs, ownMs };
  };
}
