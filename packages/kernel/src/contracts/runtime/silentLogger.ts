import type { Logger } from './Logger.js';

/** Writes nothing: for tests and for programs that bring no logger. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
