/*
 * Differences that stay. Each is as narrow as can be told from the request and the two answers, and has its row with the
 * reason in docs/reference/engine-differences.md.
 */
import type { JsonObject } from '@millrace/kernel';
import type { Mismatch, RequestBody } from './Answer.js';
import type { Difference } from './Difference.js';

/** What an exception may look at. */
export interface Case extends Mismatch {
  readonly sides: Difference['sides'];
  readonly request: RequestBody;
  readonly mapping: JsonObject;
}

/** A difference that stays, for a reason. */
export interface ListedException {
  readonly name: string;
  readonly applies: (seen: Case) => boolean;
}

/** Where one side alone refuses: its reason. */
const refusal = ({ kind, left, right }: Case): string =>
  /^refused by/.test(kind) ? String(kind.includes('embedded') ? left : right) : '';
const isRaw = ({ sides }: Case): boolean => sides === 'embedded, raw server';
const asks = ({ request }: Case, pattern: RegExp): boolean => pattern.test(JSON.stringify(request));

/** Whether some query asks for fields by a pattern that the engine's own fields fit, or for all. */
function searchesAllFields(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => {
    if (/^(multi_match|query_string|simple_query_string)$/.test(key)) {
      const { fields, default_field: one } = inner as { fields?: unknown; default_field?: unknown };
      return (
        (fields === undefined && one === undefined) || /"\*/.test(JSON.stringify([fields, one]))
      );
    }
    return (key === 'exists' && JSON.stringify(inner).includes('"*')) || searchesAllFields(inner);
  });
}

export const LISTED_EXCEPTIONS: readonly ListedException[] = [
  {
    name: 'unmapped-geo-field',
    applies: (seen) =>
      isRaw(seen) &&
      /failed to find (type for |geo )?field|query does not support \[/.test(refusal(seen)),
  },
  {
    name: 'weight-beside-function',
    applies: (seen) =>
      isRaw(seen) && /\[weight\]\. use \[functions\]|now encountering/.test(refusal(seen)),
  },
  {
    name: 'geo-shape-score',
    applies: (seen) =>
      isRaw(seen) && /score/.test(seen.kind) && asks(seen, /geo_shape|geo_polygon/),
  },
  {
    name: 'eager-factor',
    applies: (seen) =>
      seen.kind === 'refused by the embedded engine alone' &&
      /^query.invalid: (field_value_factor gives|There is no value)/.test(refusal(seen)),
  },
  {
    name: 'index-false',
    applies: (seen) => isRaw(seen) && /is not indexed and cannot be searched/.test(refusal(seen)),
  },
  {
    name: 'metadata-in-all-fields',
    applies: (seen) => isRaw(seen) && searchesAllFields(seen.request),
  },
  {
    name: 'extended-stats-of-dates',
    applies: (seen) =>
      /_as_string$/.test(seen.kind) &&
      asks(seen, /extended_stats/) &&
      asks(seen, /"field":"[^"]*[dD]ate/),
  },
  {
    name: 'missing-address-in-sort',
    applies: (seen) => /addr is of illegal length/.test(refusal(seen)),
  },
  {
    name: 'cross-fields-scores',
    applies: (seen) => /score/.test(seen.kind) && asks(seen, /"cross_fields"/),
  },
  {
    name: 'server-fault',
    applies: (seen) =>
      /failed to create query: null"?$|Rewrite first"?$|score for different docid/.test(
        refusal(seen),
      ),
  },
  {
    name: 'document-count-error',
    applies: (seen) => seen.kind.endsWith('.doc_count_error_upper_bound'),
  },
  {
    name: 'highlight-of-what-cannot-match',
    applies: (seen) =>
      seen.kind === 'highlight' &&
      asks(seen, /"match_none"|"terms":\{"[^"]*":\[\]|minimum_should_match/),
  },
  {
    name: 'boost-0-with-min-score',
    applies: (seen) =>
      /^(total|hit count|aggregations)/.test(seen.kind) &&
      asks(seen, /"boost":0[,}]/) &&
      asks(seen, /"min_score"/),
  },
  {
    name: 'other-count-beside-a-minimum',
    applies: (seen) =>
      seen.kind.endsWith('.sum_other_doc_count') && asks(seen, /"min_doc_count":[2-9]/),
  },
  {
    name: 'nested-fields-in-patterns',
    applies: (seen) => isRaw(seen) && asks(seen, /"items\.\*/),
  },
  {
    name: 'sort-values-of-score-alone',
    applies: (seen) =>
      isRaw(seen) &&
      /^(sort values|score order)$/.test(seen.kind) &&
      /^\["?\{?"?_score/.test(JSON.stringify(seen.request['sort'])),
  },
  {
    name: 'highlight-of-numbers',
    applies: (seen) =>
      seen.kind === 'highlight' &&
      asks(
        seen,
        /"[\w.]*(double|float|integer|long|short|byte|date|ip|boolean|geo_point|Long|Float|Flag|Date)\d*":\{/,
      ),
  },
  {
    name: 'unreadable-after-key',
    applies: (seen) => /created output it couldn't parse/.test(refusal(seen)),
  },
  {
    name: 'analyzer-for-numbers',
    applies: (seen) =>
      /^(total|hit count|max_score|hits|score)/.test(seen.kind) &&
      asks(seen, /"analyzer":/) &&
      asks(seen, /query_string|multi_match/),
  },
  {
    name: 'short-circuit',
    applies: (seen) =>
      isRaw(seen) &&
      seen.kind === 'refused by the embedded engine alone' &&
      (seen.right as { readonly total?: number }).total === 0,
  },
  {
    name: 'scores-of-included-objects',
    applies: ({ kind, mapping }) =>
      /score/.test(kind) && /"include_in_(root|parent)":true/.test(JSON.stringify(mapping)),
  },
  {
    name: 'binary-doc-values',
    applies: (seen) =>
      (seen.kind === 'write outcome' && /DocValuesField /.test(JSON.stringify(seen.right))) ||
      (/^(total|aggregations|max_score)/.test(seen.kind) &&
        /"doc_values":true/.test(JSON.stringify(seen.mapping)) &&
        asks(seen, /"(exists|missing|range)":.*binary/)),
  },
  {
    name: 'fragment-borders',
    applies: (seen) => seen.kind === 'highlight' && !asks(seen, /"number_of_fragments":0/),
  },
  {
    name: 'missing-date-in-sort-format',
    applies: (seen) =>
      (seen.kind === 'sort values' &&
        asks(seen, /"format"/) &&
        /922337203685477[56]/.test(JSON.stringify([seen.left, seen.right]))) ||
      /cannot be printed as the value -?9223372036854775808|-?292\d{6}-/.test(refusal(seen)),
  },
];
