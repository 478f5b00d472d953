/* Every query, with drawn options, up to a depth. */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import { ANALYZERS } from './randomMapping.js';
import {
  randomCoordinates,
  randomDate,
  randomPoint,
  randomText,
  randomWord,
} from './randomValue.js';
import { randomHighlight } from './randomHighlight.js';
import { randomLucene, randomSimple } from './randomLucene.js';
import type { RandomField } from './randomMapping.js';
import type { RequestContext } from './RequestContext.js';

const MINIMA = [1, 2, 3, -1, -2, '75%', '-25%', '3<90%', '2<-25% 9<-3', '1', '100%'];
const FUZZINESS = [0, 1, 2, 'AUTO', 'AUTO:2,4', '1'];

type QueryMaker = (context: RequestContext) => JsonObject;

const LEAVES: readonly (readonly [weight: number, make: QueryMaker])[] = [
  [1, () => ({ match_all: {} })],
  [1, () => ({ match_none: {} })],
  [10, term],
  [5, terms],
  [9, range],
  [4, exists],
  [2, ids],
  [4, prefix],
  [4, wildcard],
  [4, regexp],
  [4, fuzzy],
  [10, match],
  [6, matchPhrase],
  [4, matchPhrasePrefix],
  [3, matchBoolPrefix],
  [7, multiMatch],
  [6, queryString],
  [4, simpleQueryString],
  [3, geoDistance],
  [3, geoBoundingBox],
  [2, geoPolygon],
  [2, geoShape],
];
const COMPOUNDS: readonly (readonly [
  weight: number,
  make: (context: RequestContext, depth: number) => JsonObject,
])[] = [
  [10, bool],
  [2, constantScore],
  [3, disMax],
  [2, boosting],
  [5, functionScore],
  [5, nested],
];

/** @param depth levels of compound queries that may still come */
export function randomQuery(context: RequestContext, depth: number): JsonObject {
  const { chance } = context;
  return depth > 0 && chance.percent(45)
    ? weighted(COMPOUNDS, context)(context, depth - 1)
    : weighted(LEAVES, context)(context);
}

function weighted<T>(choices: readonly (readonly [number, T])[], { chance }: RequestContext): T {
  let left = chance.below(choices.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, choice] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  throw new RangeError('weights do not add up');
}

function base({ chance }: RequestContext): JsonObject {
  return chance.options<JsonValue>({
    boost: [8, () => chance.of([0.5, 2, 3.7, '2'])],
    _name: [2, () => 'called'],
  });
}

function term(context: RequestContext): JsonObject {
  const { chance } = context;
  if (chance.percent(4)) return { term: { _id: chance.of(['d1', 'd2', 'D1', 'none']) } };
  const field = context.field();
  const value =
    field.type === 'text'
      ? randomWord(chance).toLowerCase()
      : field.type === 'ip' && chance.percent(30)
        ? '10.0.0.0/24'
        : context.value(field);
  if (chance.percent(60)) return { term: { [field.name]: value } };
  const options = chance.options<JsonValue>({ case_insensitive: [50, () => true] });
  return { term: { [field.name]: { value, ...options, ...base(context) } } };
}

function terms(context: RequestContext): JsonObject {
  const { chance } = context;
  if (chance.percent(5)) return { terms: { _id: ['d1', 'd3', 'd5', 'x'] } };
  const field = context.field();
  const values = chance.list(chance.between(0, 4), () =>
    field.type === 'text' ? randomWord(chance).toLowerCase() : context.value(field),
  );
  return { terms: { [field.name]: values, ...base(context) } };
}

function range(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = chance.percent(40)
    ? context.field('date')
    : context.field(
        'byte',
        'short',
        'integer',
        'long',
        'double',
        'float',
        'keyword',
        'ip',
        'boolean',
      );
  const bound = (): JsonValue =>
    field.type === 'date' && chance.percent(45)
      ? dateMath(context, field.format)
      : context.value(field);
  const percent = field.type === 'date' ? 15 : 0;
  const options = chance.options<JsonValue>({
    [chance.of(['gte', 'gt', 'from'])]: [70, bound],
    [chance.of(['lte', 'lt', 'to'])]: [60, bound],
    time_zone: [percent, () => chance.of(['+01:00', '-05:30', 'Europe/Paris', 'America/New_York'])],
  });
  return { range: { [field.name]: { ...options, ...base(context) } } };
}

/** `<date>||+1M/d`. */
function dateMath({ chance }: RequestContext, format?: string): string {
  const start = chance.percent(12)
    ? 'now'
    : `${String(randomDate(chance, format ?? 'yyyy-MM-dd'))}||`;
  const step = () =>
    `${chance.of(['+', '-'])}${chance.of([1, 2, 13])}${chance.of(['y', 'M', 'w', 'd', 'h', 'H', 'm', 's'])}`;
  const rounding = chance.percent(50) ? `/${chance.of(['y', 'M', 'w', 'd', 'h'])}` : '';
  return `${start}${chance.list(chance.between(0, 3), step).join('')}${rounding}`;
}

function exists(context: RequestContext): JsonObject {
  const { chance } = context;
  const name = chance.percent(25)
    ? chance.of(['object', 'obj*', 'items', 'text*', '*.keyword', 'items.*', 'dynObject'])
    : context.field().name;
  return { exists: { field: name, ...base(context) } };
}

function ids(context: RequestContext): JsonObject {
  const { chance } = context;
  const values = chance.percent(20)
    ? 'd3'
    : chance.list(chance.between(0, 6), () => `d${chance.below(50)}`);
  return { ids: { values, ...base(context) } };
}

function beginning({ chance }: RequestContext): string {
  const word = randomWord(chance);
  const cut = [...word].slice(0, chance.between(1, 3)).join('');
  return chance.percent(80) ? cut.toLowerCase() : cut;
}

function patternQuery(context: RequestContext, kind: string, value: string): JsonObject {
  const { chance } = context;
  const { name } = context.field('text', 'keyword');
  if (chance.percent(50)) return { [kind]: { [name]: value } };
  const options = chance.options<JsonValue>({ case_insensitive: [35, () => true] });
  return { [kind]: { [name]: { value, ...options, ...base(context) } } };
}

function prefix(context: RequestContext): JsonObject {
  return patternQuery(context, 'prefix', beginning(context));
}

function wildcard(context: RequestContext): JsonObject {
  const start = beginning(context);
  const value = context.chance.of([
    `${start}*`,
    `*${start}*`,
    `?${start}*`,
    '??',
    'r*r',
    '*s',
    'm?ll',
    'Mill*',
    '日*',
  ]);
  return patternQuery(context, 'wildcard', value);
}

function regexp(context: RequestContext): JsonObject {
  const value = context.chance.of([
    'mi.*', 'm[a-i]ll', '(mill|river)s?', 'r.{3}r', '[^a-m].*', 'ab?c?', 'run(s|ning)', '[0-9]+', '\\d+', 'r(i|u).+', 'x{1,3}', '\\w+', 'caf[éÉ]', 'A(b|B)c', '(', '[', 'a{2',
  ]); // prettier-ignore
  return patternQuery(context, 'regexp', value);
}

function fuzzy(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = context.field('text', 'keyword');
  const value = misspelt(context);
  if (chance.percent(30)) return { fuzzy: { [field.name]: value } };
  const options = chance.options<JsonValue>({
    fuzziness: [50, () => chance.of(FUZZINESS)],
    prefix_length: [25, () => chance.between(0, 3)],
    transpositions: [25, () => false],
  });
  return { fuzzy: { [field.name]: { value, ...options, ...base(context) } } };
}

function misspelt({ chance }: RequestContext): string {
  const letters = [...randomWord(chance).toLowerCase()];
  const at = chance.below(letters.length);
  switch (chance.below(4)) {
    case 0:
      letters.splice(at, 1);
      break;
    case 1:
      letters.splice(at, 0, chance.of(['x', 'e']));
      break;
    case 2:
      letters.splice(at, 2, ...letters.slice(at, at + 2).reverse());
      break;
    default:
      break;
  }
  return letters.join('');
}

function textFor(context: RequestContext, field: RandomField): JsonValue {
  const { chance } = context;
  if (field.type !== 'text') return context.value(field);
  return chance.percent(3) ? chance.of(['', 'the of', '...']) : randomText(chance, 4);
}

function fuzzyOptions(context: RequestContext): JsonObject {
  const { chance } = context;
  return chance.options<JsonValue>({
    fuzziness: [15, () => chance.of(FUZZINESS)],
    prefix_length: [5, () => chance.between(0, 2)],
    fuzzy_transpositions: [5, () => false],
  });
}

function match(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = chance.percent(70) ? context.field('text') : context.field();
  const query = textFor(context, field);
  if (chance.percent(35)) return { match: { [field.name]: query } };
  const options = chance.options<JsonValue>({
    operator: [40, () => chance.of(['or', 'and'])],
    minimum_should_match: [20, () => chance.of(MINIMA)],
    analyzer: [8, () => chance.of(ANALYZERS)],
    lenient: [10, () => true],
    zero_terms_query: [8, () => chance.of(['none', 'all'])],
  });
  return {
    match: { [field.name]: { query, ...options, ...fuzzyOptions(context), ...base(context) } },
  };
}

function matchPhrase(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = chance.percent(88) ? context.field('text') : context.field();
  const query = textFor(context, field);
  if (chance.percent(35)) return { match_phrase: { [field.name]: query } };
  const options = chance.options<JsonValue>({
    slop: [60, () => chance.of([0, 1, 2, 5, 50])],
    analyzer: [8, () => chance.of(ANALYZERS)],
    zero_terms_query: [8, () => chance.of(['none', 'all'])],
  });
  return { match_phrase: { [field.name]: { query, ...options, ...base(context) } } };
}

function partialText(context: RequestContext): string {
  const { chance } = context;
  const words = chance.list(chance.between(0, 2), () => randomWord(chance));
  return [...words, beginning(context)].join(' ');
}

function matchPhrasePrefix(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = chance.percent(90) ? context.field('text') : context.field();
  const query = partialText(context);
  if (chance.percent(40)) return { match_phrase_prefix: { [field.name]: query } };
  const options = chance.options<JsonValue>({
    slop: [40, () => chance.of([0, 1, 3])],
    analyzer: [8, () => chance.of(ANALYZERS)],
  });
  return { match_phrase_prefix: { [field.name]: { query, ...options, ...base(context) } } };
}

function matchBoolPrefix(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = chance.percent(90) ? context.field('text') : context.field('keyword');
  const query = partialText(context);
  if (chance.percent(40)) return { match_bool_prefix: { [field.name]: query } };
  const options = chance.options<JsonValue>({
    operator: [40, () => chance.of(['or', 'and'])],
    minimum_should_match: [20, () => chance.of(MINIMA)],
    analyzer: [8, () => chance.of(ANALYZERS)],
  });
  return {
    match_bool_prefix: {
      [field.name]: { query, ...options, ...fuzzyOptions(context), ...base(context) },
    },
  };
}

/** Fields with words; numbers refuse most texts. */
function fieldList(context: RequestContext): string[] {
  const { chance } = context;
  return chance.list(chance.between(1, 4), () => {
    const name = chance.percent(12)
      ? chance.of(['text*', 'key*', '*.sub'])
      : context.field('text', 'keyword').name;
    return chance.percent(20) ? `${name}^${chance.of(['2', '0.5', '3'])}` : name;
  });
}

function multiMatch(context: RequestContext): JsonObject {
  const { chance } = context;
  const type = chance.of([
    'best_fields',
    'best_fields',
    'most_fields',
    'cross_fields',
    'phrase',
    'phrase_prefix',
    'bool_prefix',
  ]);
  const isPhrase = type.startsWith('phrase');
  const takesFuzziness = !isPhrase && type !== 'cross_fields';
  const options = chance.options<JsonValue>({
    type: [75, () => type],
    operator: [30, () => chance.of(['or', 'and'])],
    minimum_should_match: [15, () => chance.of(MINIMA)],
    tie_breaker: [25, () => chance.of([0, 0.3, 1])],
    analyzer: [8, () => chance.of(ANALYZERS)],
    lenient: [60, () => true],
    slop: [isPhrase ? 30 : 0, () => chance.of([1, 3])],
    zero_terms_query: [5, () => 'all'],
  });
  return {
    multi_match: {
      query: type.endsWith('prefix') ? partialText(context) : randomText(chance, 4),
      fields: fieldList(context),
      ...options,
      ...(takesFuzziness && (options['type'] ?? 'best_fields') === type
        ? fuzzyOptions(context)
        : {}),
      ...base(context),
    },
  };
}

function queryString(context: RequestContext): JsonObject {
  const { chance } = context;
  const options = chance.options<JsonValue>({
    default_operator: [30, () => chance.of(['or', 'and'])],
    lenient: [50, () => true],
    fuzziness: [8, () => chance.of(FUZZINESS)],
    phrase_slop: [10, () => 2],
    minimum_should_match: [10, () => chance.of(MINIMA)],
    type: [8, () => chance.of(['best_fields', 'most_fields'])],
    allow_leading_wildcard: [5, () => false],
  });
  const fields: JsonObject = chance.percent(60)
    ? { fields: fieldList(context) }
    : { default_field: context.field('text', 'keyword').name };
  return {
    query_string: { query: randomLucene(context), ...fields, ...options, ...base(context) },
  };
}

function simpleQueryString(context: RequestContext): JsonObject {
  const { chance } = context;
  const options = chance.options<JsonValue>({
    default_operator: [40, () => chance.of(['or', 'and'])],
    flags: [15, () => chance.of(['ALL', 'NONE', 'AND|OR', 'PREFIX|PHRASE'])],
    lenient: [50, () => true],
    minimum_should_match: [12, () => chance.of(MINIMA)],
  });
  const query = { query: randomSimple(context), fields: fieldList(context) };
  return { simple_query_string: { ...query, ...options, ...base(context) } };
}

function geoDistance(context: RequestContext): JsonObject {
  const { chance } = context;
  const distance = chance.of<JsonValue>([
    5000,
    '12km',
    '30mi',
    '500km',
    '9000km',
    '20000yd',
    '3nmi',
  ]);
  const options = chance.options<JsonValue>({
    ignore_unmapped: [20, () => true],
  });
  return {
    geo_distance: {
      distance,
      [context.field('geo_point').name]: randomPoint(chance),
      ...options,
      ...base(context),
    },
  };
}

function geoBoundingBox(context: RequestContext): JsonObject {
  const { chance } = context;
  const [aLat, aLon] = randomCoordinates(chance);
  const [bLat, bLon] = randomCoordinates(chance);
  const [top, bottom] = [Math.max(aLat, bLat), Math.min(aLat, bLat)];
  const [left, right] = chance.percent(70)
    ? [Math.min(aLon, bLon), Math.max(aLon, bLon)]
    : [aLon, bLon];
  const box = chance.of<JsonValue>([
    { top_left: { lat: top, lon: left }, bottom_right: { lat: bottom, lon: right } },
    { top_right: [right, top], bottom_left: `${bottom},${left}` },
    { top, bottom, left, right },
    { wkt: `BBOX (${left}, ${right}, ${top}, ${bottom})` },
    { top_left: 'u0', bottom_right: 'e' },
  ]);
  return { geo_bounding_box: { [context.field('geo_point').name]: box, ...base(context) } };
}

function geoPolygon(context: RequestContext): JsonObject {
  const { chance } = context;
  // Wider than half the earth a polygon means another one: its edges go the short way round.
  const shift = chance.of([-100, -30, 0, 100]);
  const points = chance.list(chance.between(3, 5), () => {
    const [lat, lon] = [chance.between(-60, 70), shift + chance.between(-60, 60)];
    return chance.of<JsonValue>([{ lat, lon }, [lon, lat], `${lat},${lon}`]);
  });
  return { geo_polygon: { [context.field('geo_point').name]: { points } } };
}

function geoShape(context: RequestContext): JsonObject {
  const { chance } = context;
  const [lat, lon] = randomCoordinates(chance);
  const west = Math.max(-179, lon - 20);
  const east = Math.min(179, lon + 20);
  const ring = [[west, lat - 15], [east, lat - 15], [lon, lat + 15], [west, lat - 15]]; // prettier-ignore
  const shape = chance.of<JsonValue>([
    { type: 'polygon', coordinates: [ring] },
    { type: 'envelope', coordinates: [[west, lat + 10], [east, lat - 10]] },
    { type: 'point', coordinates: [lon, lat] },
    { type: 'multipolygon', coordinates: [[ring]] },
    `POLYGON ((${ring.map(([x, y]) => `${x} ${y}`).join(', ')}))`,
  ]); // prettier-ignore
  const relation = chance.percent(60)
    ? { relation: chance.of(['intersects', 'disjoint', 'within', 'contains']) }
    : {};
  return {
    geo_shape: { [context.field('geo_point').name]: { shape, ...relation }, ...base(context) },
  };
}

function bool(context: RequestContext, depth: number): JsonObject {
  const { chance } = context;
  const clauses = (most: number) => (): JsonValue => {
    const list = chance.list(chance.between(0, most), () => randomQuery(context, depth));
    return list.length === 1 && chance.percent(40) ? (list[0] ?? {}) : list;
  };
  return {
    bool: {
      ...chance.options<JsonValue>({
        must: [50, clauses(2)],
        filter: [35, clauses(2)],
        should: [60, clauses(3)],
        must_not: [30, clauses(2)],
        minimum_should_match: [20, () => chance.of(MINIMA)],
      }),
      ...base(context),
    },
  };
}

function constantScore(context: RequestContext, depth: number): JsonObject {
  return { constant_score: { filter: randomQuery(context, depth), ...base(context) } };
}

function disMax(context: RequestContext, depth: number): JsonObject {
  const { chance } = context;
  const queries = chance.list(chance.between(1, 3), () => randomQuery(context, depth));
  const options = chance.options<JsonValue>({ tie_breaker: [50, () => chance.of([0, 0.3, 1])] });
  return { dis_max: { queries, ...options, ...base(context) } };
}

function boosting(context: RequestContext, depth: number): JsonObject {
  const [positive, negative] = [randomQuery(context, depth), randomQuery(context, depth)];
  return {
    boosting: {
      positive,
      negative,
      negative_boost: context.chance.of([0.2, 0.5]),
      ...base(context),
    },
  };
}

function functionScore(context: RequestContext, depth: number): JsonObject {
  const { chance } = context;
  const one = (): JsonObject => scoreFunction(context);
  const functions = chance.percent(60)
    ? {
        functions: chance.list(chance.between(1, 3), () => ({
          ...one(),
          ...chance.options<JsonValue>({ filter: [50, () => randomQuery(context, 0)] }),
        })),
      }
    : one();
  const options = chance.options<JsonValue>({
    query: [75, () => randomQuery(context, depth)],
    score_mode: [50, () => chance.of(['multiply', 'sum', 'avg', 'first', 'max', 'min'])],
    boost_mode: [60, () => chance.of(['multiply', 'replace', 'sum', 'avg', 'max', 'min'])],
    max_boost: [15, () => chance.of([0.5, 3, 10])],
  });
  return { function_score: { ...functions, ...options, ...base(context) } };
}

function scoreFunction(context: RequestContext): JsonObject {
  const { chance } = context;
  const weight = chance.options<JsonValue>({ weight: [30, () => chance.of([0.5, 2, 5])] });
  switch (chance.below(4)) {
    case 0:
      return { weight: chance.of([1, 2.5, 42]) };
    case 1:
      return {
        field_value_factor: {
          field: context.numberField().name,
          // Others refuse negative values, or values that no document of a page has.
          modifier: 'square',
          missing: 1,
          ...chance.options<JsonValue>({ factor: [40, () => chance.of([0.5, 2])] }),
        },
        ...weight,
      };
    default:
      return { [chance.of(['gauss', 'exp', 'linear'])]: decay(context), ...weight };
  }
}

function decay(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = context.valueField('integer', 'long', 'double', 'float', 'date', 'geo_point');
  const [origin, scale, offset]: readonly JsonValue[] =
    field.type === 'date'
      ? [
          randomDate(chance, field.format),
          chance.of(['10d', '300d', '36h']),
          chance.of(['1d', '12h', '0d']),
        ]
      : field.type === 'geo_point'
        ? [randomPoint(chance), chance.of(['10km', '500km']), chance.of(['1km', '0m'])]
        : [chance.between(-2, 8), chance.of([1, 5, 0.5, 100]), chance.of([0, 1, 2.5])];
  const options = chance.options<JsonValue>({
    offset: [40, () => offset ?? 0],
    decay: [40, () => chance.of([0.3, 0.9])],
  });
  const multi = chance.options<JsonValue>({
    multi_value_mode: [30, () => chance.of(['min', 'max', 'avg'])],
  });
  return { [field.name]: { origin: origin ?? 0, scale: scale ?? 1, ...options }, ...multi };
}

function nested(context: RequestContext, depth: number): JsonObject {
  const { chance, innerPaths } = context;
  const isOdd = chance.percent(context.oddness + 1);
  if (innerPaths.length === 0 && !isOdd) return randomQuery(context, depth);
  const path =
    innerPaths.length > 0 && !isOdd
      ? chance.of(innerPaths)
      : chance.of(['items', 'nowhere', 'object', 'items.parts']);
  const inside = context.inside(path);
  return {
    nested: {
      path,
      query: randomQuery(inside, depth),
      ...chance.options<JsonValue>({
        score_mode: [60, () => chance.of(['avg', 'sum', 'min', 'max', 'none'])],
        ignore_unmapped: [25, () => true],
        inner_hits: [25, () => innerHits(inside)],
      }),
      ...base(context),
    },
  };
}

function innerHits(context: RequestContext): JsonObject {
  const { chance } = context;
  return chance.options<JsonValue>({
    name: [90, () => `inner${chance.below(1_000_000)}`],
    size: [40, () => chance.of([0, 1, 5, 100])],
    sort: [35, () => [{ [context.field('integer', 'keyword').name]: chance.of(['asc', 'desc']) }]],
    _source: [20, () => chance.of<JsonValue>([false, ['*.keyword'], 'items.integer'])],
    highlight: [15, () => randomHighlight(context)],
  });
}
