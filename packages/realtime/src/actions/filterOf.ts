import { apiErrors, realtimeErrors, type JsonObject } from '@millrace/kernel';
import { isQueryTest } from '../matching/RoomTest.js';

/** Arguments of a request that say what it subscribes to. */
export interface GivenTest {
  readonly filter: JsonObject | undefined;
  readonly query: JsonObject | undefined;
}

/**
 * What a request subscribes to: its argument `query` as `{query: Q}`, its argument `filter`, or its body, which is a
 * filter: a search sent by mistake is refused.
 * @throws api.invalid_argument (400) if there are several, realtime.invalid_filter (400)
 */
export function filterOf({ filter, query }: GivenTest, body: JsonObject | null): JsonObject {
  if (body !== null && isQueryTest(body)) {
    const reason = 'Invalid filter: unknown operator "query"; a query is sent in the argument "query", not in the body';
    throw realtimeErrors.invalid_filter({ reason });
  }
  const hasBody = body !== null && Object.keys(body).length > 0;
  const given = [filter, query && { query }, hasBody ? body : undefined].filter((each) => each !== undefined);
  if (given.length <= 1) return given[0] ?? {};
  const name = query === undefined ? 'filter' : 'query';
  const expected = 'either the argument "filter", the argument "query" or a body, not several';
  throw apiErrors.invalid_argument({ name, value: 'several', expected });
}
