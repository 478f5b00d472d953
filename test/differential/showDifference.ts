import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { Difference } from './Difference.js';

const ALL_FIELDS = /[*]|multi_match|query_string/;
const MAX_LENGTH = 1_500;

/** A difference as text; of mapping and documents only the fields that the request names. */
export function showDifference(difference: Difference): string {
  const { mapping, documents, request, left, right, kind, seed, run, isSeenAfresh } = difference;
  const asked = JSON.stringify(request);
  const shown = (fields: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => asked.includes(name) || ALL_FIELDS.test(asked)));
  const properties = shown(mapping['properties'] as JsonObject);
  const sources = documents.map(({ id, source }): JsonValue => [id, shown(source)]);
  return [
    `\n== ${kind}; --seed ${seed} --only ${run}${isSeenAfresh ? '' : '; NOT SEEN ON A FRESH COLLECTION'}`,
    `request   ${cut(request)}`,
    `left      ${cut(left)}`,
    `right     ${cut(right)}`,
    ...(sources.length > 0 ? [`documents ${cut(sources)}`] : []),
    `mapping   ${cut({ ...mapping, properties })}`,
  ].join('\n');
}

function cut(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}
