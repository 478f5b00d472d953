import { compileDateFormat } from '@millrace/language';
import { invalid } from '../errors.js';
import type { Options } from './Options.js';

/** `format` of dates, checked. @throws QueryError */
export function readDateFormat(options: Options): string | undefined {
  const format = options.text('format');
  if (format !== undefined) {
    compileDateFormat(format, (message) => invalid(`${options.path}.format`, `${message} (at ${options.path}.format)`));
  }
  return format;
}
