import { openSync, readSync, closeSync } from 'node:fs';

/**
 * Watches the turns of the event loop. Unlike the wait of a timer, the processor time of a turn leaves out other processes
 * of a busy machine. @returns ends it: the longest turn in milliseconds; undefined where the system doesn't tell (not Linux)
 */
export function watchTurns() {
  let file;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return () => undefined;
  }
  const bytes = Buffer.alloc(64);
  const readMs = () =>
    Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, 64, 0)).split(' ')[0]) / 1e6;
  let [longestMs, lastMs, isOn] = [0, readMs(), true];
  const turn = () => {
    if (!isOn) return;
    const nowMs = readMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOn = false;
    closeSync(file);
    return longestMs;
  };
}
