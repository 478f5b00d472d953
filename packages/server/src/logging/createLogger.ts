import { pino, type DestinationStream, type LevelWithSilent, type Logger as PinoLogger } from 'pino';
import { LOG_CHANNEL, type Logger, type LogTrace } from '@millrace/kernel';
import { boundFields, boundMessage } from './boundFields.js';
import { openLogDestination } from './openLogDestination.js';
import type { RecentLog } from './RecentLog.js';
import { toTextLine } from './toTextLine.js';

/** Section `log` of the configuration. */
export interface LogConfig {
  readonly level: string;
  readonly format: 'auto' | 'json' | 'text';
  /** Whether requests of clients are logged (`logRequests`). Default: false. */
  readonly requests?: boolean;
}

/** Whether the log is plain text for people: configured, or standard error is a terminal. */
export function isTextLog({ format }: LogConfig): boolean {
  return format === 'text' || (format === 'auto' && process.stderr.isTTY);
}

/**
 * Creates a logger that writes lines from the given level on, each of bounded length (see `boundFields`), as JSON or
 * text.
 * @param destination default: standard error
 * @param recent keeps the newest lines
 */
export function createLogger(config: LogConfig, destination?: DestinationStream, recent?: RecentLog): Logger {
  // Errors are already plain objects here; pino's serializer would misread them.
  const options = { level: config.level, serializers: { err: (error: unknown) => error } };
  if (!isTextLog(config)) return wrap(pino(options, keeping(recent, destination ?? openLogDestination(2))));
  // Written synchronously, in order with the process's other output.
  const { write } = destination ?? { write: (line: string) => void process.stderr.write(line) };
  return wrap(pino({ ...options, base: null }, keeping(recent, { write: (line) => write(toTextLine(line)) })));
}

function keeping(recent: RecentLog | undefined, next: DestinationStream): DestinationStream {
  if (recent === undefined) return next;
  return {
    write: (line) => {
      recent.add(line);
      next.write(line);
    },
  };
}

function wrap(logger: PinoLogger): Logger {
  const writeAt =
    (level: Exclude<LevelWithSilent, 'silent'>) =>
    (fields: object, message: string): void => {
      // Bounding takes time, so skip it for lines that aren't written.
      if (!logger.isLevelEnabled(level)) return;
      logger[level](boundFields(withTrace(fields)), boundMessage(message));
    };
  return {
    debug: writeAt('debug'),
    info: writeAt('info'),
    warn: writeAt('warn'),
    error: writeAt('error'),
    child: (fields) => wrap(logger.child(boundFields(fields))),
  };
}

/** Subscribers add the ids of the current trace. */
function withTrace(fields: object): object {
  if (!LOG_CHANNEL.hasSubscribers) return fields;
  const trace: LogTrace = { fields: { ...fields } };
  LOG_CHANNEL.publish(trace);
  return trace.fields;
}
