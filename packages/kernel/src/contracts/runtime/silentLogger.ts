import type { Logger } from './Logger.js';

/** Discards all lines: for tests and for programs without a logger. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
