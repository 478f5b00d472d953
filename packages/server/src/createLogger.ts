import { pino, type Logger as PinoLogger } from 'pino';
import type { Logger } from '@millrace/kernel';

/** A logger that writes JSON lines to standard error from the given level on. */
export function createLogger(level: string): Logger {
  return wrap(pino({ level }, pino.destination({ dest: 2, sync: false })));
}

function wrap(logger: PinoLogger): Logger {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    child: (fields) => wrap(logger.child(fields)),
  };
}
