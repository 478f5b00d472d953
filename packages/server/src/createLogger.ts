import {
  pino,
  type DestinationStream,
  type LevelWithSilent,
  type Logger as PinoLogger,
} from 'pino';
import type { Logger } from '@millrace/kernel';
import { boundFields, boundMessage } from './boundFields.js';
import { toTextLine } from './toTextLine.js';

/** Section `log` of the configuration. */
export interface LogConfig {
  readonly level: string;
  readonly format: 'auto' | 'json' | 'text';
}

/** Whether the log is for people: configured, or standard error is a terminal. */
export function isTextLog({ format }: LogConfig): boolean {
  return format === 'text' || (format === 'auto' && process.stderr.isTTY);
}

/**
 * A logger that writes lines from the given level on, each of a bounded length (see `boundFields`), as JSON or as text.
 * @param destination default: standard error
 */
export function createLogger(config: LogConfig, destination?: DestinationStream): Logger {
  // Errors are objects by then: pino's own serializer would take them for something else.
  const options = { level: config.level, serializers: { err: (error: unknown) => error } };
  if (!isTextLog(config))
    return wrap(pino(options, destination ?? pino.destination({ dest: 2, sync: false })));
  // Written at once, in order with what the process prints.
  const { write } = destination ?? { write: (line: string) => void process.stderr.write(line) };
  return wrap(pino({ ...options, base: null }, { write: (line) => write(toTextLine(line)) }));
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
