/*
 * Differences that stay. Each is as narrow as can be told from the request and the two answers, and has its row with the
 * reason in docs/reference/engine-differences.md.
 */
import type { JsonObject } from '@millrace/kernel';
import type { RequestBody } from './Answer.js';
import type { Case } from './Case.js';
import { sameNumber, SCORE_TOLERANCE } from './compareAnswers.js';
import {
  differInForeignLetters,
  differInLeadOfCopies,
  haveSameValues,
  highlightsOf,
  marksOthers,
  marksPartsOfWords,
  showsMore,
  showsNumbersBeside,
} from './highlightMismatch.js';
import { looksOutward } from './looksOutward.js';
import { searchesAllFields } from './withoutServerOwn.js';

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

/** Whether two sides part by scores alone, or by what goes by them. */
const showsScores = ({ kind, left, request }: Case): boolean =>
  /score/.test(kind) ||
  (kind === 'total' && 'min_score' in request) ||
  (/(^|\.)sort values$/.test(kind) && /"_score"/.test(JSON.stringify(request))) ||
  (kind === 'inner_hits' && /_score":[\d.]+\}$/.test(JSON.stringify(left)));

type ScoredHits = readonly (readonly [id: string, score: number])[];

/** Whether hits that both sides show have scores within 10⁻³. */
function haveNearScores(left: ScoredHits, right: ScoredHits): boolean {
  const scores = new Map(right);
  return left.every(
    ([id, score]) => !scores.has(id) || sameNumber(score, scores.get(id) ?? null, 1e-3),
  );
}

/** The one field that a query goes by, where it is a `range` or a single value, alone in what is around it. */
function soleField(query: unknown): string | undefined {
  if (typeof query !== 'object' || query === null) return undefined;
  const [[kind, body] = ['', undefined]] = Object.entries(query);
  if (/^(range|term|match)$/.test(kind)) return Object.keys(body as object)[0];
  if (kind === 'constant_score') return soleField((body as JsonObject)['filter']);
  if (kind !== 'bool') return undefined;
  const { must, filter, ...others } = body as JsonObject;
  const clauses = [must ?? [], filter ?? []].flat();
  const { boost: _boost, _name, ...more } = others;
  return clauses.length === 1 && Object.keys(more).length === 0 ? soleField(clauses[0]) : undefined;
}

/** Whether an aggregation is a `composite` whose first source goes upwards by the one field that the query goes by. */
function pagesBySoleField(request: RequestBody, name: string): boolean {
  const { aggs, aggregations, query, filter, min_score: minScore } = request;
  const named = ((aggs ?? aggregations) as { [name: string]: JsonObject } | undefined)?.[name];
  const composite = named?.['composite'] as { sources: JsonObject | JsonObject[] } | undefined;
  if (composite === undefined || minScore !== undefined) return false;
  const [first] = [composite.sources].flat();
  const [source] = Object.values(first ?? {}) as JsonObject[];
  const [options] = Object.values(source ?? {}) as JsonObject[];
  const isUpward = options?.['order'] !== 'desc' && options?.['missing_bucket'] !== true;
  const asked = query === undefined ? filter : filter === undefined ? query : undefined;
  return isUpward && options?.['field'] !== undefined && options['field'] === soleField(asked);
}

type SortedHits = readonly (readonly [id: string, sort: readonly unknown[]])[];

/** Whether both sides show the same hits with the same scores, in whatever order. */
function haveEqualScores(left: SortedHits, right: SortedHits): boolean {
  const scores = new Map(right.map(([id, [score]]) => [id, score]));
  return left.every(([id, [score]]) =>
    sameNumber(Number(score), Number(scores.get(id)), SCORE_TOLERANCE),
  );
}

/** The number that a formatted text stands for. */
const numberIn = (text: string): number => Number(text.replaceAll(',', '').replace(/%$/, ''));

/** Whether two texts part in the last digit shown, by one. */
function differByRounding(a: string, b: string): boolean {
  const unitOf = (text: string) => 10 ** -(/\.(\d+)/.exec(text)?.[1]?.length ?? 0);
  const unit = unitOf(a);
  return unit === unitOf(b) && sameNumber(Math.abs(numberIn(a) - numberIn(b)), unit, 1e-3);
}

export const LISTED_EXCEPTIONS: readonly ListedException[] = [
  {
    name: 'geojson-in-geo-distance',
    applies: (seen) =>
      isRaw(seen) &&
      /\[geo_distance\] query does not support \[/.test(refusal(seen)) &&
      asks(seen, /"type":"[Pp]oint"/),
  },
  {
    name: 'weight-beside-function',
    applies: (seen) =>
      isRaw(seen) && /\[weight\]\. use \[functions\]|now encountering/.test(refusal(seen)),
  },
  {
    name: 'eager-factor',
    applies: (seen) =>
      (isRaw(seen) &&
        /Missing value for field|must not produce negative scores/.test(refusal(seen))) ||
      (seen.kind === 'refused by the embedded engine alone' &&
        /^query.invalid: (field_value_factor gives|A document has no value in the field .* of field_value_factor)/.test(
          refusal(seen),
        )),
  },
  {
    name: 'index-false',
    applies: (seen) =>
      isRaw(seen) &&
      (/is not indexed and cannot be searched/.test(refusal(seen)) ||
        (!/^refused|source|version/.test(seen.kind) && seen.isFoundUnindexed === true)),
  },
  {
    name: 'metadata-in-all-fields',
    applies: (seen) =>
      isRaw(seen) &&
      (seen.kind.startsWith('refused')
        ? /Field \[_\w+\] of type \[_\w+\] does not support exists queries|Cannot run exists(\(\))? query (on _field_names|against the nested field path)|The _source field is not searchable/.test(
            refusal(seen),
          )
        : !/source|version/.test(seen.kind) && seen.isFoundByMetadata === true),
  },
  {
    name: 'nested-looking-outward',
    applies: (seen) =>
      isRaw(seen) && !/source|version/.test(seen.kind) && looksOutward(seen.request),
  },
  {
    name: 'object-as-term',
    applies: (seen) =>
      isRaw(seen) &&
      /^query.invalid: Value at \S*terms\.\S+\[\d+\] must be a text, number or boolean, not an object/.test(
        refusal(seen),
      ),
  },
  {
    name: 'median-of-nested-objects',
    applies: (seen) => isRaw(seen) && /mode median .* knows no nested objects$/.test(refusal(seen)),
  },
  {
    name: 'date-format-of-numbers',
    applies: (seen) =>
      isRaw(seen) &&
      /^query.invalid: format at .* needs a date; ".*" is (byte|short|integer|long|float|double|half_float)$/.test(
        refusal(seen),
      ),
  },
  {
    name: 'extended-stats-of-dates',
    applies: (seen) =>
      /\.(sum_of_squares|variance\w*|std_deviation\w*)_as_string$/.test(seen.kind) &&
      asks(seen, /extended_stats/) &&
      asks(seen, /"field":"[^"]*[dD]ate/),
  },
  {
    name: 'missing-address-in-sort',
    applies: (seen) =>
      /addr is of illegal length|Failed trying to format bytes as IP address/.test(refusal(seen)) ||
      (seen.kind === 'sort values' &&
        /"missing":"(\d+(\.\d+){3}|[\da-f]*:[\da-f:.]*)"/i.test(
          JSON.stringify(seen.request['sort']),
        )),
  },
  {
    name: 'server-fault',
    applies: (seen) =>
      /^500: |(failed to create query|all shards failed): null( \/ )?"?$|Rewrite first"?$|query must be rewritten first|score for different docid|Index \d+ out of bounds|read past EOF|Error retrieving path [\w.]+"?$|FieldExistsQuery requires that the field indexes|Child query must not match same docs with parent filter/.test(
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
      isRaw(seen) &&
      /(^|\.)highlight$/.test(seen.kind) &&
      !showsMore(seen) &&
      asks(seen, /"(query_string|simple_query_string|multi_match)"/),
  },
  {
    name: 'min-score-in-aggregations',
    applies: (seen) =>
      isRaw(seen) && seen.kind.startsWith('aggregations') && seen.isSameByMinimum === true,
  },
  {
    name: 'values-outside-of-a-range',
    applies: ({ kind, request }) => {
      const [, name] = /^aggregations\.(\w+)\.(buckets|after_key)/.exec(kind) ?? [];
      return name !== undefined && pagesBySoleField(request, name);
    },
  },
  {
    name: 'offsets-of-nested-lists',
    applies: (seen) => {
      const { kind, mapping, left, right, request } = seen;
      return (
        /(^|\.)highlight$/.test(kind) &&
        /"term_vector":"with_positions_offsets"|"index_options":"offsets"/.test(
          JSON.stringify(mapping),
        ) &&
        !marksPartsOfWords(left, request) &&
        (marksPartsOfWords(right, request) || marksOthers(seen))
      );
    },
  },
  {
    name: 'prefixes-by-bytes',
    applies: (seen) =>
      /(^|\.)highlight$/.test(seen.kind) &&
      asks(seen, /phrase_prefix"|\\"\*/) &&
      differInForeignLetters(seen),
  },
  {
    name: 'phrases-across-values',
    applies: ({ kind, right }) =>
      /(^|\.)highlight$/.test(kind) && JSON.stringify(right).includes('\\u0000'),
  },
  {
    name: 'nested-fields-in-patterns',
    applies: (seen) =>
      isRaw(seen) &&
      asks(seen, /"cross_fields"/) &&
      (searchesAllFields(seen.request) || asks(seen, /"items\.\*/)) &&
      showsScores(seen),
  },
  {
    name: 'order-of-copied-values',
    applies: (seen) =>
      // Of a `top_hits` the kind is longer, and the values stand deeper.
      /(^|\.)highlight$/.test(seen.kind) &&
      (differInLeadOfCopies(seen) ||
        /^\{("aggregations[^"]*":\{)?"highlight of \w+(\.copies\b|":\{"copies":\[)/.test(
          JSON.stringify(seen.left),
        )),
  },
  {
    name: 'order-of-marked-values',
    applies: (seen) =>
      /(^|\.)highlight$/.test(seen.kind) && asks(seen, /"order":"score"/) && haveSameValues(seen),
  },
  {
    name: 'highlight-of-numbers',
    applies: (seen) => /(^|\.)highlight$/.test(seen.kind) && showsNumbersBeside(seen),
  },
  {
    name: 'analyzer-for-numbers',
    applies: (seen) =>
      isRaw(seen) &&
      seen.kind === 'refused by the embedded engine alone' &&
      /^query.invalid: (Invalid value for|fuzziness at .* needs a text)/.test(refusal(seen)) &&
      asks(seen, /"analyzer":/),
  },
  {
    name: 'short-circuit',
    applies: (seen) =>
      isRaw(seen) &&
      seen.kind === 'refused by the embedded engine alone' &&
      seen.isPartRefused === true,
  },
  {
    name: 'scores-of-included-objects',
    applies: (seen) =>
      (asks(seen, /"items\b/) || searchesAllFields(seen.request)) &&
      showsScores(seen) &&
      /"include_in_(root|parent)":true/.test(JSON.stringify(seen.mapping)),
  },
  {
    name: 'one-term-for-several-words',
    applies: (seen) => seen.isSameApart === true && showsScores(seen),
  },
  {
    name: 'nearly-equal-scores',
    applies: ({ kind, request, left, right }) =>
      kind === 'sort values' &&
      /^\["?\{?"?_score/.test(JSON.stringify(request['sort'])) &&
      haveEqualScores(left as SortedHits, right as SortedHits),
  },
  {
    name: 'digits-of-large-numbers',
    applies: ({ kind, left, right }) => {
      const [a, b] = [left, right].map((side) => Object.values(side as JsonObject)[0]);
      const isText = typeof a === 'string' && typeof b === 'string';
      return kind.endsWith('_as_string') && isText && numberIn(a) === numberIn(b);
    },
  },
  {
    name: 'digits-of-sums',
    applies: ({ kind, left, right }) => {
      const [a, b] = [left, right].map((side) => Object.values(side as JsonObject)[0]);
      return (
        /\.(value|sum|avg|sum_of_squares|(variance|std_deviation)(_\w+)?)_as_string$/.test(kind) &&
        typeof a === 'string' &&
        typeof b === 'string' &&
        (sameNumber(numberIn(a), numberIn(b), 1e-9) || differByRounding(a, b))
      );
    },
  },
  {
    name: 'score-by-distance',
    applies: (seen) => {
      const { kind, left, right } = seen;
      if (!asks(seen, /"(gauss|exp|linear)":\{[^{]*"(\w+\.)*geo_point/)) return false;
      if (kind === 'score order') return haveNearScores(left as ScoredHits, right as ScoredHits);
      const [a, b] = [left, right].map((side) => (Array.isArray(side) ? Number(side[1]) : side));
      return kind.endsWith('score') && sameNumber(Number(a), Number(b), 1e-3);
    },
  },
  {
    name: 'fragment-borders',
    applies: (seen) =>
      /(^|\.)highlight$/.test(seen.kind) &&
      highlightsOf(seen).some((each) => !JSON.stringify(each).includes('"number_of_fragments":0')),
  },
  {
    name: 'bracket-as-bound',
    applies: (seen) =>
      isRaw(seen) &&
      /^query.invalid: "[a-z_]+" of range at \S+ must be a text, number or boolean, not a list/.test(
        refusal(seen),
      ),
  },
  {
    name: 'infinity-as-number',
    applies: (seen) =>
      isRaw(seen) && /expected a number, not "([+-]?Infinity|NaN)"/.test(refusal(seen)),
  },
  {
    name: 'missing-date-in-sort-format',
    applies: (seen) =>
      (seen.kind.endsWith('sort values') &&
        asks(seen, /"format"/) &&
        /922337203685477[56]/.test(JSON.stringify([seen.left, seen.right]))) ||
      /cannot be printed as the value -?9223372036854775808|-?292\d{6}-/.test(refusal(seen)),
  },
];
