import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { RequestBody } from './Answer.js';

/** A `nested` query that shows its objects. */
export interface InnerQuery {
  readonly name: string;
  /** `query` and `highlight`, as in a search. */
  readonly request: RequestBody;
}

/** Each `nested` query with `inner_hits`, at any depth of a value. */
export function innerQueries(value: JsonValue | undefined): readonly InnerQuery[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.values(value).flatMap((inner: JsonValue) => innerQueries(inner));
  const { path, query, inner_hits: options } = value as JsonObject;
  if (query === undefined || typeof options !== 'object' || options === null) return below;
  const { name = path, highlight } = options as JsonObject;
  const request = { query, ...(highlight === undefined ? {} : { highlight }) };
  return [{ name: name as string, request }, ...below];
}
