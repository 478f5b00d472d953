import { FilterError, type FilterEngine, type Registration } from '@millrace/filters';
import { didYouMean, realtimeErrors, type CollectionName, type JsonObject } from '@millrace/kernel';

/** Adds a filter to an engine. @throws realtime.invalid_filter, realtime.filter_too_complex (400) */
export function registerFilter(
  engine: FilterEngine,
  { index, collection }: CollectionName,
  filter: JsonObject,
): Registration {
  return refusingFilter(() => engine.register(index, collection, filter));
}

/** Converts refusals of the filter language. @throws realtime.invalid_filter, realtime.filter_too_complex (400) */
export function refusingFilter<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const { unknown } = error;
    const hint = unknown === undefined ? '' : didYouMean(unknown.name, unknown.known);
    throw realtimeErrors[error.code]({ reason: error.message + hint }, { cause: error });
  }
}
