import { apiErrors, type JsonObject } from '@millrace/kernel';

/** Arguments of a request that say what it subscribes to. */
export interface GivenTest {
  readonly filter: JsonObject | undefined;
  readonly query: JsonObject | undefined;
}

/**
 * What a request subscribes to: its argument `query` as `{query: Q}`, its argument `filter`, or its body, which has
 * either form.
 * @throws api.invalid_argument (400) if there are several
 */
export function filterOf({ filter, query }: GivenTest, body: JsonObject | null): JsonObject {
  const hasBody = body !== null && Object.keys(body).length > 0;
  const given = [filter, query && { query }, hasBody ? body : undefined].filter(
    (each) => each !== undefined,
  );
  if (given.length <= 1) return given[0] ?? {};
  const name = query === undefined ? 'filter' : 'query';
  const expected = 'either the argument "filter", the argument "query" or a body, not several';
  throw apiErrors.invalid_argument({ name, value: 'several', expected });
}
