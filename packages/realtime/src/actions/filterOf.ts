import { apiErrors, type JsonObject } from '@millrace/kernel';

/**
 * The filter of a request: its body, or its argument `filter`.
 * @throws api.invalid_argument (400) if both are there
 */
export function filterOf(argument: JsonObject | undefined, body: JsonObject | null): JsonObject {
  if (argument === undefined) return body ?? {};
  if (body === null || Object.keys(body).length === 0) return argument;
  const expected = 'either the argument "filter" or a body, not both';
  throw apiErrors.invalid_argument({ name: 'filter', value: 'both', expected });
}
