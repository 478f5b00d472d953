import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts a file of `peers/` as a separate process.
 * @param args of its command line
 * @param options of `fork`, such as `{ env }`
 * @returns the process, and the first message it sends: it is ready then
 */
export async function forkPeer(name, args = [], options = {}) {
  const child = fork(new URL(`peers/${name}.mjs`, import.meta.url), args.map(String), options);
  const [ready] = await once(child, 'message');
  return { child, ready };
}

/** Sends a message to such a process. @returns what it answers */
export async function askPeer(child, message) {
  child.send(message);
  const [answer] = await once(child, 'message');
  return answer;
}

/** The processor time that a peer with `reportFootprint` has used so far. */
export async function cpuSecondsOf(child) {
  const { cpuSeconds } = await askPeer(child, 'cpu');
  return cpuSeconds;
}
