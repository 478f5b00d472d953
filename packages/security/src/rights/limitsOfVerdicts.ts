import type { JsonObject } from '@millrace/kernel';
import { replaceReferences, resolveReference, Unresolved } from './references.js';
import { isDocumentRule } from './Right.js';
import type { Verdict } from './Rights.js';

const NOTHING: JsonObject = { match_none: {} };

/** The documents and fields that a right covers. */
export type ExplainedLimits = {
  /** A query; absent: every document. */
  readonly documents?: JsonObject;
  /** The rule of all policies, or those of each. */
  readonly fields?: JsonObject | readonly JsonObject[];
};

/** What both limits cover. */
export function bothLimits(first: ExplainedLimits, second: ExplainedLimits): ExplainedLimits {
  const documents = [first.documents, second.documents].filter(isGiven);
  const fields = [first.fields, second.fields].filter(isGiven);
  const [query, otherQuery] = documents;
  const [rule, otherRule] = fields;
  return {
    ...(query && { documents: otherQuery === undefined ? query : { bool: { filter: documents } } }),
    ...(rule && { fields: otherRule === undefined ? rule : { both: fields } }),
  };
}

/** What limits the union of some verdicts. @param valued gives a query with the values of the user */
export function limitsOfVerdicts(
  verdicts: readonly Verdict[],
  valued: (query: JsonObject) => JsonObject,
): ExplainedLimits {
  const rules = verdicts.flatMap((verdict) =>
    typeof verdict === 'boolean' ? [] : verdict.filter(isDocumentRule),
  );
  const isWhole = rules.length < verdicts.length;
  if (rules.length === 0 || isWhole) return {};
  const queries = rules.map(({ body }) => body['documents'] as JsonObject | undefined);
  const fields = distinct(rules.map(({ body }) => body['fields'] as JsonObject | undefined));
  return {
    ...(queries.every(isGiven) && { documents: anyOf(queries.map(valued)) }),
    ...(fields.every(isGiven) && { fields: fields.length === 1 ? fields[0] as JsonObject : fields }),
  };
} // prettier-ignore

/** The query with the values of the user. */
export function withValues(query: JsonObject, claims: JsonObject): JsonObject {
  try {
    return replaceReferences(query, (path, isList) => resolveReference(claims, path, isList));
  } catch (error) {
    if (error instanceof Unresolved) return NOTHING;
    throw error;
  }
}

function anyOf(queries: readonly JsonObject[]): JsonObject {
  const each = distinct(queries);
  return each.length === 1 ? (each[0] as JsonObject) : { bool: { should: each } };
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}
