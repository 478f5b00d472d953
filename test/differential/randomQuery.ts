/* Every query, with random options, up to a depth. */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import { randomHighlight } from './randomHighlight.js';
import { randomLucene, randomSimple } from './randomLucene.js';
import { ANALYZERS } from './randomMapping.js';
import { randomCoordinates, randomDate, randomPoint, randomText, randomWord } from './randomValue.js';
import type { RequestContext } from './RequestContext.js';

const MINIMA = [1, 2, 3, -1, -2, '75%', '-25%', '3<90%', '2<-25% 9<-3', '1', '100%'];
const FUZZINESS = [0, 1, 2, 'AUTO', 'AUTO:2,4', '1'];

type QueryMaker = (context: RequestContext, depth: number) => JsonObject;

const LEAVES: readonly (readonly [weight: number, make: QueryMaker])[] = [
  [2, (context) => context.chance.of<JsonObject>([{ match_all: {} }, { match_none: {} }])],
  [10, term],
  [5, terms],
  [9, range],
  [4, exists],
  [2, ids],
  [14, pattern],
  [4, fuzzy],
  [10, match],
  [13, partialMatch],
  [7, multiMatch],
  [6, queryString],
  [4, simpleQueryString],
  [10, geo],
  [4, distanceFeature],
];
const COMPOUNDS: readonly (readonly [weight: number, make: QueryMaker])[] = [
  [12, bool],
  [6, wrapped],
  [5, functionScore],
  [5, nested],
];

/** @param depth levels of compound queries that may still come */
export function randomQuery(context: RequestContext, depth: number): JsonObject {
  const isCompound = depth > 0 && context.chance.percent(45);
  return weighted(isCompound ? COMPOUNDS : LEAVES, context)(context, depth - 1);
}

function weighted<T>(choices: readonly (readonly [number, T])[], { chance }: RequestContext): T {
  return chance.of(choices.flatMap(([weight, choice]) => Array.from({ length: weight }, () => choice)));
}

/** Options of every query. */
function common({ chance }: RequestContext): JsonObject {
  return chance.options<JsonValue>({
    boost: [8, () => chance.of([0.5, 2, 3.7, '2'])],
    _name: [2, () => 'named'],
  });
}

/** `{kind: {field: value}}`, or with options. */
function byField(
  context: RequestContext,
  kind: string,
  field: string,
  [key, value]: readonly [key: string, value: JsonValue],
  options: JsonObject,
): JsonObject {
  const isShort = context.chance.percent(40);
  return {
    [kind]: { [field]: isShort ? value : { [key]: value, ...options, ...common(context) } },
  };
}

function term(context: RequestContext): JsonObject {
  const { chance } = context;
  if (chance.percent(4)) return { term: { _id: chance.of(['d1', 'd2', 'D1', 'none']) } };
  const field = context.field();
  const value = field.type === 'ip' && chance.percent(30) ? '10.0.0.0/24' : context.term(field);
  const percent = field.type === 'text' || field.type === 'keyword' ? 50 : context.oddness;
  return byField(
    context,
    'term',
    field.name,
    ['value', value],
    chance.options<JsonValue>({ case_insensitive: [percent, () => true] }),
  );
}

function terms(context: RequestContext): JsonObject {
  const { chance } = context;
  if (chance.percent(5)) return { terms: { _id: ['d1', 'd3', 'd5', 'x'] } };
  const field = context.field();
  const values = chance.list(chance.between(0, 4), () => context.term(field));
  return { terms: { [field.name]: values, ...common(context) } };
}

function range(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = chance.percent(40)
    ? context.field('date')
    : context.field('byte', 'short', 'integer', 'long', 'double', 'float', 'keyword', 'ip', 'boolean');
  const isDate = field.type === 'date';
  const bound = (): JsonValue =>
    isDate && chance.percent(45) ? dateMath(context, field.format) : context.value(field);
  const options = chance.options<JsonValue>({
    [chance.of(['gte', 'gt', 'from'])]: [70, bound],
    [chance.of(['lte', 'lt', 'to'])]: [60, bound],
    time_zone: [isDate ? 15 : 0, () => chance.of(['+01:00', '-05:30', 'Europe/Paris'])],
  });
  return { range: { [field.name]: { ...options, ...common(context) } } };
}

/** `<date>||+1M/d`. */
function dateMath({ chance }: RequestContext, format = 'yyyy-MM-dd'): string {
  const start = chance.percent(12) ? 'now' : `${String(randomDate(chance, format))}||`;
  const step = () => `${chance.of(['+', '-'])}${chance.of([1, 2, 13])}${chance.of([...'yMwdhHms'])}`;
  const rounding = chance.percent(50) ? `/${chance.of([...'yMwdh'])}` : '';
  return `${start}${chance.list(chance.between(0, 3), step).join('')}${rounding}`;
}

function exists(context: RequestContext): JsonObject {
  const { chance } = context;
  const patterns = ['object', 'obj*', 'items', 'text*', '*.keyword', 'items.*', 'dynObject'];
  const field = chance.percent(25) ? chance.of(patterns) : context.field().name;
  return { exists: { field, ...common(context) } };
}

function ids(context: RequestContext): JsonObject {
  const { chance } = context;
  const list = () => chance.list(chance.between(0, 6), () => `d${chance.below(50)}`);
  return { ids: { values: chance.percent(20) ? 'd3' : list(), ...common(context) } };
}

function beginning({ chance }: RequestContext): string {
  const start = [...randomWord(chance)].slice(0, chance.between(1, 3)).join('');
  return chance.percent(80) ? start.toLowerCase() : start;
}

const REGEXPS = [
  'mi.*', 'm[a-i]ll', '(mill|river)s?', 'r.{3}r', '[^a-m].*', 'ab?c?', 'run(s|ning)', '[0-9]+', '\\d+', 'r(i|u).+', 'x{1,3}', '\\w+', 'caf[éÉ]', 'A(b|B)c', '(', 'a{2',
]; // prettier-ignore

function pattern(context: RequestContext): JsonObject {
  const { chance } = context;
  const start = beginning(context);
  const kind = chance.of(['prefix', 'wildcard', 'regexp']);
  const wildcards = [`${start}*`, `*${start}*`, `?${start}*`, '??', 'r*r', '*s', 'm?ll', 'Mill*', '日*'];
  const value = kind === 'prefix' ? start : chance.of(kind === 'regexp' ? REGEXPS : wildcards);
  const options = chance.options<JsonValue>({ case_insensitive: [35, () => true] });
  return byField(context, kind, context.field('text', 'keyword').name, ['value', value], options);
}

function fuzzy(context: RequestContext): JsonObject {
  const { chance } = context;
  const letters = [...randomWord(chance).toLowerCase()];
  const at = chance.below(letters.length);
  const misspelt = chance.of([
    letters.toSpliced(at, 1),
    letters.toSpliced(at, 0, 'x'),
    letters.toSpliced(at, 2, ...letters.slice(at, at + 2).reverse()),
  ]);
  const options = chance.options<JsonValue>({
    fuzziness: [50, () => chance.of(FUZZINESS)],
    prefix_length: [25, () => chance.between(0, 3)],
    transpositions: [25, () => false],
  });
  return byField(context, 'fuzzy', context.field('text', 'keyword').name, ['value', misspelt.join('')], options);
}

function fuzzyOptions({ chance }: RequestContext): JsonObject {
  return chance.options<JsonValue>({
    fuzziness: [15, () => chance.of(FUZZINESS)],
    prefix_length: [5, () => chance.between(0, 2)],
    fuzzy_transpositions: [5, () => false],
  });
}

/** Options of the queries that analyse their text. */
function matchOptions({ chance }: RequestContext): JsonObject {
  // With `and` no clause is optional: a minimum has no meaning.
  const kind = chance.of(['operator', 'minimum_should_match']);
  return chance.options<JsonValue>({
    [kind]: [60, () => (kind === 'operator' ? chance.of(['or', 'and']) : chance.of(MINIMA))],
    analyzer: [8, () => chance.of(ANALYZERS)],
  });
}

function match(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = chance.percent(75) ? context.field('text') : context.field();
  const isText = field.type === 'text';
  const query = isText ? randomText(chance, 4) : context.value(field);
  const options = {
    ...chance.options<JsonValue>({
      lenient: [10, () => true],
      zero_terms_query: [8, () => chance.of(['none', 'all'])],
    }),
    ...(isText ? { ...matchOptions(context), ...fuzzyOptions(context) } : {}),
  };
  return byField(context, 'match', field.name, ['query', query], options);
}

/** Phrases, and strings whose last word is a prefix. */
function partialMatch(context: RequestContext): JsonObject {
  const { chance } = context;
  const kind = chance.of(['match_phrase', 'match_phrase', 'match_phrase_prefix', 'match_bool_prefix']);
  const query = kind === 'match_phrase' ? randomText(chance, 4) : partialText(context);
  const options =
    kind === 'match_bool_prefix'
      ? { ...matchOptions(context), ...fuzzyOptions(context) }
      : chance.options<JsonValue>({
          slop: [50, () => chance.of([0, 1, 2, 5])],
          analyzer: [8, () => chance.of(ANALYZERS)],
        });
  return byField(context, kind, context.field('text').name, ['query', query], options);
}

function partialText(context: RequestContext): string {
  const { chance } = context;
  const words = chance.list(chance.between(0, 2), () => randomWord(chance));
  return [...words, beginning(context)].join(' ');
}

/** Fields with words: numbers refuse most strings. */
function fieldList(context: RequestContext): string[] {
  const { chance } = context;
  return chance.list(chance.between(1, 4), () => {
    const name = chance.percent(12) ? chance.of(['text*', 'key*', '*.sub']) : context.field('text', 'keyword').name;
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
  const isFuzzy = !isPhrase && type !== 'cross_fields';
  const options = chance.options<JsonValue>({
    tie_breaker: [25, () => chance.of([0, 0.3, 1])],
    lenient: [50, () => true],
    slop: [isPhrase ? 30 : 0, () => chance.of([1, 3])],
  });
  return {
    multi_match: {
      query: type.endsWith('prefix') ? partialText(context) : randomText(chance, 4),
      fields: fieldList(context),
      type,
      ...options,
      ...matchOptions(context),
      ...(isFuzzy ? fuzzyOptions(context) : {}),
      ...common(context),
    },
  };
}

function queryString(context: RequestContext): JsonObject {
  const { chance } = context;
  const options = chance.options<JsonValue>({
    default_operator: [30, () => chance.of(['or', 'and'])],
    lenient: [50, () => true],
    phrase_slop: [10, () => 2],
    type: [8, () => chance.of(['best_fields', 'most_fields'])],
  });
  const fields: JsonObject = chance.percent(60)
    ? { fields: fieldList(context) }
    : { default_field: context.field('text', 'keyword').name };
  return {
    query_string: { query: randomLucene(context), ...fields, ...options, ...common(context) },
  };
}

function simpleQueryString(context: RequestContext): JsonObject {
  const { chance } = context;
  const options = chance.options<JsonValue>({
    default_operator: [40, () => chance.of(['or', 'and'])],
    flags: [15, () => chance.of(['ALL', 'NONE', 'AND|OR', 'PREFIX|PHRASE'])],
  });
  const query = { query: randomSimple(context), fields: fieldList(context) };
  return { simple_query_string: { ...query, ...options, ...common(context) } };
}

function geo(context: RequestContext): JsonObject {
  const { chance } = context;
  const { name } = context.field('geo_point');
  switch (chance.below(4)) {
    case 0:
      return { geo_polygon: { [name]: { points: polygon(context) } } };
    case 1:
      return { geo_shape: { [name]: shape(context), ...common(context) } };
    case 2:
      return { geo_bounding_box: { [name]: box(context), ...common(context) } };
    default: {
      const distance = chance.of<JsonValue>([5000, '12km', '30mi', '500km', '9000km', '20000yd', '3nmi']);
      return { geo_distance: { distance, [name]: randomPoint(chance), ...common(context) } };
    }
  }
}

function distanceFeature(context: RequestContext): JsonObject {
  const { chance } = context;
  const { name, type, format } = context.valueField('date', 'geo_point');
  const distance: JsonObject =
    type === 'date'
      ? { origin: randomDate(chance, format), pivot: chance.of(['10d', '12h', '5000d']) }
      : { origin: randomPoint(chance), pivot: chance.of(['100km', '1m', '30mi']) };
  return { distance_feature: { field: name, ...distance, ...common(context) } };
}

function box({ chance }: RequestContext): JsonValue {
  const [aLat, left] = randomCoordinates(chance);
  const [bLat, right] = randomCoordinates(chance);
  const [top, bottom] = [Math.max(aLat, bLat), Math.min(aLat, bLat)];
  return chance.of<JsonValue>([
    { top_left: { lat: top, lon: left }, bottom_right: { lat: bottom, lon: right } },
    { top_right: [right, top], bottom_left: `${bottom},${left}` },
    { top, bottom, left, right },
    { wkt: `BBOX (${left}, ${right}, ${top}, ${bottom})` },
  ]);
}

function polygon({ chance }: RequestContext): JsonValue {
  const shift = chance.of([-100, -30, 0, 100]);
  return chance.list(chance.between(3, 5), () => {
    const [lat, lon] = [chance.between(-60, 70) + 0.03, shift + chance.between(-60, 60) + 0.03];
    return chance.of<JsonValue>([{ lat, lon }, [lon, lat], `${lat},${lon}`]);
  });
}

function shape({ chance }: RequestContext): JsonObject {
  const [lat, lon] = randomCoordinates(chance);
  const [west, east] = [Math.max(-179.5, lon - 20), Math.min(179.5, lon + 20)];
  const ring = [
    [west, lat - 15],
    [east, lat - 15],
    [lon, lat + 15],
    [west, lat - 15],
  ];
  const one = chance.of<JsonValue>([
    { type: 'polygon', coordinates: [ring] },
    { type: 'envelope', coordinates: [[west, lat + 10], [east, lat - 10]] },
    { type: 'multipolygon', coordinates: [[ring]] },
    `POLYGON ((${ring.map(([x, y]) => `${x} ${y}`).join(', ')}))`,
  ]); // prettier-ignore
  const relations = ['intersects', 'disjoint', 'within', 'contains'];
  return {
    shape: one,
    ...chance.options<JsonValue>({ relation: [60, () => chance.of(relations)] }),
  };
}

function bool(context: RequestContext, depth: number): JsonObject {
  const { chance } = context;
  const clauses = (most: number) => (): JsonValue => {
    const list = chance.list(chance.between(0, most), () => randomQuery(context, depth));
    return list.length === 1 && chance.percent(40) ? (list[0] ?? {}) : list;
  };
  const options = chance.options<JsonValue>({
    must: [50, clauses(2)],
    filter: [35, clauses(2)],
    should: [60, clauses(3)],
    must_not: [30, clauses(2)],
  });
  // Without a clause in `should` there is nothing to count.
  const hasShould = JSON.stringify(options['should'] ?? []) !== '[]';
  if (hasShould && chance.percent(30)) options['minimum_should_match'] = chance.of(MINIMA);
  return { bool: { ...options, ...common(context) } };
}

function wrapped(context: RequestContext, depth: number): JsonObject {
  const { chance } = context;
  const one = () => randomQuery(context, depth);
  switch (chance.below(3)) {
    case 0:
      return { constant_score: { filter: one(), ...common(context) } };
    case 1: {
      const options = chance.options<JsonValue>({
        tie_breaker: [50, () => chance.of([0, 0.3, 1])],
      });
      return {
        dis_max: {
          queries: chance.list(chance.between(1, 3), one),
          ...options,
          ...common(context),
        },
      };
    }
    default:
      return {
        boosting: { positive: one(), negative: one(), negative_boost: 0.2, ...common(context) },
      };
  }
}

function functionScore(context: RequestContext, depth: number): JsonObject {
  const { chance } = context;
  const filter = () => chance.options<JsonValue>({ filter: [50, () => randomQuery(context, 0)] });
  const list = () => chance.list(chance.between(1, 3), () => ({ ...scoreFunction(context), ...filter() }));
  const functions = chance.percent(60) ? { functions: list() } : scoreFunction(context);
  const options = chance.options<JsonValue>({
    query: [75, () => randomQuery(context, depth)],
    score_mode: [50, () => chance.of(['multiply', 'sum', 'avg', 'first', 'max', 'min'])],
    boost_mode: [60, () => chance.of(['multiply', 'replace', 'sum', 'avg', 'max', 'min'])],
    max_boost: [15, () => chance.of([0.5, 3, 10])],
  });
  return { function_score: { ...functions, ...options, ...common(context) } };
}

function scoreFunction(context: RequestContext): JsonObject {
  const { chance } = context;
  const { name, type, format } = context.valueField('integer', 'long', 'double', 'date', 'geo_point');
  if (chance.percent(25)) return { weight: chance.of([1, 2.5, 42]) };
  // Other modifiers refuse negative values, which Elasticsearch sees in shown hits only.
  if (chance.percent(25))
    return {
      field_value_factor: { field: context.numberField().name, modifier: 'square', missing: 1 },
    };
  const decay: JsonObject =
    type === 'date'
      ? { origin: randomDate(chance, format), scale: '10d' }
      : type === 'geo_point'
        ? { origin: randomPoint(chance), scale: '100km', offset: '1km' }
        : { origin: chance.between(-2, 8), scale: chance.of([1, 5, 0.5, 100]) };
  return {
    [chance.of(['gauss', 'exp', 'linear'])]: { [name]: { ...decay, decay: chance.of([0.3, 0.9]) } },
  };
}

function nested(context: RequestContext, depth: number): JsonObject {
  const { chance, innerPaths } = context;
  if (innerPaths.length === 0 && !chance.percent(context.oddness)) return bool(context, depth);
  const path = innerPaths.length > 0 ? chance.of(innerPaths) : chance.of(['nowhere', 'object']);
  const inside = context.inside(path);
  const options = chance.options<JsonValue>({
    score_mode: [60, () => chance.of(['avg', 'sum', 'min', 'max', 'none'])],
    ignore_unmapped: [25, () => true],
    inner_hits: [25, () => innerHits(inside)],
  });
  return { nested: { path, query: randomQuery(inside, depth), ...options, ...common(context) } };
}

function innerHits(context: RequestContext): JsonObject {
  const { chance } = context;
  const order = () => chance.of(['asc', 'desc']);
  return {
    name: `inner${chance.below(1_000_000)}`,
    ...chance.options<JsonValue>({
      size: [40, () => chance.of([0, 1, 5, 100])],
      sort: [35, () => [{ [context.valueField('integer', 'keyword').name]: order() }]],
      _source: [20, () => chance.of<JsonValue>([false, ['*.keyword'], 'items.integer'])],
      highlight: [15, () => randomHighlight(context)],
    }),
  };
}
