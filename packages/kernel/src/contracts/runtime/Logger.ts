import type { InjectionToken } from 'tsyringe';

/** Structured log lines: fields first, then a short constant message. Neither may contain secrets. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A logger that adds these fields to its lines. */
  child(fields: object): Logger;
}

/** The logger of this server. */
export const LOGGER: InjectionToken<Logger> = Symbol.for('millrace.Logger');
