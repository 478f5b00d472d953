/*
 * Aggregations for a caller who sees a part of the collection. Elasticsearch computes `global` over all documents, so
 * its children are put into a filter, which is taken out of the answer.
 */
import type { JsonObject } from '@millrace/language';
import { QueryError, type BoundAggregation } from '@millrace/query';

const VISIBLE = 'visible';

/** @param within the query of the view; undefined: every document @throws QueryError */
export function toVisibleAggregations(
  body: JsonObject,
  aggregations: readonly BoundAggregation[],
  within: JsonObject | undefined,
): JsonObject {
  if (within === undefined) return body;
  assertVisible(aggregations);
  const entries = aggregations.map(({ name, kind }) => {
    const one = body[name] as JsonObject;
    if (kind !== 'global') return [name, one] as const;
    const { aggs, ...rest } = one;
    const inner = { filter: within, ...(aggs === undefined ? {} : { aggs }) };
    return [name, { ...rest, aggs: { [VISIBLE]: inner } }] as const;
  });
  return Object.fromEntries(entries);
}

/** The answer without the filters that `toVisibleAggregations` has added. */
export function withoutFilters(
  answer: JsonObject | undefined,
  aggregations: readonly { readonly name: string; readonly kind: string }[],
): JsonObject | undefined {
  if (answer === undefined) return undefined;
  const globals = new Set(aggregations.filter(({ kind }) => kind === 'global').map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(answer).map(([name, one]) =>
      globals.has(name) ? [name, withoutFilter(one as JsonObject)] : [name, one],
    ),
  );
}

function withoutFilter({ meta, [VISIBLE]: inner }: JsonObject): JsonObject {
  return { ...(meta !== undefined && { meta }), ...(inner as JsonObject) };
}

/** Elasticsearch would list the terms of documents outside the view too. */
function assertVisible(aggregations: readonly BoundAggregation[]): void {
  for (const aggregation of aggregations) {
    if (aggregation.kind === 'terms' && aggregation.minDocCount === 0) {
      throw new QueryError(
        'invalid',
        aggregation.path,
        `min_doc_count 0 at ${aggregation.path} is not supported for users who may not read the whole collection on this storage engine`,
      );
    }
    assertVisible(aggregation.aggregations);
  }
}
