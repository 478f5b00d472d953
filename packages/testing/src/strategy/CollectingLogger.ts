import { inspect } from 'node:util';
import type { Logger } from '@millrace/kernel';

/** Collects log lines as strings, so that a test can check that they contain no secret. */
export class CollectingLogger implements Logger {
  constructor(readonly lines: string[] = []) {}

  debug(fields: object, message: string): void {
    this.keep(fields, message);
  }

  info(fields: object, message: string): void {
    this.keep(fields, message);
  }

  warn(fields: object, message: string): void {
    this.keep(fields, message);
  }

  error(fields: object, message: string): void {
    this.keep(fields, message);
  }

  child(fields: object): Logger {
    this.keep(fields, '');
    return new CollectingLogger(this.lines);
  }

  private keep(fields: object, message: string): void {
    this.lines.push(`${message} ${inspect(fields, { depth: 8 })}`);
  }
}
