import { createKey } from '../createKey.js';

let lastMs = 0;

/** A UUID of version 7: ids that this program makes later sort behind those that it made before. */
export function createId(): string {
  lastMs = Math.max(lastMs + 1, Date.now());
  const time = lastMs.toString(16).padStart(12, '0');
  return `${time.replace(/^.{8}/, '$&-')}-7${createKey().slice(15)}`;
}
