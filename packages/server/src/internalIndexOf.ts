import type { ServerConfig } from './config.js';

/** The name of the internal index. */
export function internalIndexOf({ internalIndex, name }: ServerConfig): string {
  return internalIndex === '' ? `%${name}` : internalIndex;
}
