import {
  pino,
  type DestinationStream,
  type LevelWithSilent,
  type Logger as PinoLogger,
} from 'pino';
import type { Logger } from '@millrace/kernel';
import { boundFields, boundMessage } from './boundFields.js';

/**
 * A logger that writes JSON lines from the given level on, each of a bounded length (see `boundFields`).
 * @param destination default: standard error
 */
export function createLogger(
  level: string,
  destination: DestinationStream = pino.destination({ dest: 2, sync: false }),
): Logger {
  // Errors are objects by then: pino's own serializer would take them for something else.
  return wrap(pino({ level, serializers: { err: (error: unknown) => error } }, destination));
}

function wrap(logger: PinoLogger): Logger {
  const writeAt =
    (level: Exclude<LevelWithSilent, 'silent'>) =>
    (fields: object, message: string): void => {
      // Bounding costs something; what isn't written costs nothing.
      if (logger.isLevelEnabled(level)) logger[level](boundFields(fields), boundMessage(message));
    };
  return {
    debug: writeAt('debug'),
    info: writeAt('info'),
    warn: writeAt('warn'),
    error: writeAt('error'),
    child: (fields) => wrap(logger.child(boundFields(fields))),
  };
}
