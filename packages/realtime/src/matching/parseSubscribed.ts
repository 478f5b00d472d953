import { parseFilter, type FilterLimits } from '@millrace/filters';
import type { JsonObject } from '@millrace/kernel';
import { refusingFilter } from './registerFilter.js';
import { readRoomTest } from './RoomTest.js';

/**
 * The parsed filter or query of a subscription.
 * @throws realtime.invalid_filter, realtime.filter_too_complex, query.invalid, query.forbidden (400)
 */
export function parseSubscribed(given: JsonObject, limits: FilterLimits): object {
  const test = readRoomTest(given, limits.bytes);
  if (test.kind === 'query') return test.query;
  return refusingFilter(() => parseFilter(test.filter, limits));
}
