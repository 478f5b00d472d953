import type { CommandCall } from './CommandCall.js';
import { UsageError } from './UsageError.js';

/** The option `--format`. @throws UsageError, also for CSV without a collection */
export function transferFormat(call: CommandCall): 'ndjson' | 'csv' {
  const format = call.value('format') ?? 'ndjson';
  if (format !== 'ndjson' && format !== 'csv')
    throw new UsageError(`--format: expected ndjson or csv, got ${JSON.stringify(format)}`);
  const hasPlace = call.value('index') !== undefined && call.value('collection') !== undefined;
  if (format === 'csv' && !hasPlace) throw new UsageError('CSV needs --index and --collection');
  return format;
}
