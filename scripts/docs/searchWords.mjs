// The names of the search language, as its parsers read them: the console completes queries with them.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SOURCES = new URL('../../packages/query/src/', import.meta.url);
const FIELD = 'a_field';
/** Objects whose keys are free names, not fields. */
const NAMED = new Set(['filters']);
/** Levels of objects inside a query or an aggregation. */
const MAX_DEPTH = 4;

/**
 * Runs each parser on small bodies while `Options` records the names that are read, and refuses nothing. An option whose
 * value is an object or a query is found by giving it one.
 * @returns {Promise<object>} `SearchWords` of the console
 */
export async function searchWords() {
  const {
    Options,
    QueryParser,
    queryParser,
    QUERY_KINDS,
    AGGREGATION_KINDS,
    SOURCE_KINDS,
    AggregationParser,
    parseSearch,
  } = await parsers();
  const recorder = record(Options, QueryParser, AggregationParser);
  const queries = {};
  for (const [name, { parse }] of Object.entries(QUERY_KINDS)) {
    if (parse !== undefined) queries[name] = explore(recorder, (body) => parse(body, name, queryParser()), name);
  }
  const aggregations = {};
  const aggregate = (body) => new AggregationParser(queryParser()).parse({ one: body }, '');
  for (const name of Object.keys(AGGREGATION_KINDS)) {
    const needed = name === 'composite' ? { sources: [{ [FIELD]: { terms: { field: FIELD } } }] } : {};
    aggregations[name] = explore(recorder, (body) => aggregate({ [name]: { ...needed, ...body } }), `.one.${name}`);
  }
  const sources = Object.keys(SOURCE_KINDS).map((kind) => {
    const run = (body) => aggregate({ composite: { sources: [{ [FIELD]: { [kind]: body } }] } });
    return [kind, explore(recorder, run, `.one.composite.sources[0].${FIELD}.${kind}`)];
  });
  aggregations.composite.options.sources = { options: {}, any: { options: Object.fromEntries(sources) }, isList: true };
  return { search: explore(recorder, parseSearch, 'body'), queries, aggregations };
}

/** What one run of a parser has read. @typedef {{options: Map, kinds: Map, fields: Set}} Reading */

/** @returns {(run: () => void) => Reading} */
function record(Options, QueryParser, AggregationParser) {
  let reading;
  let given;
  const { raw, choice, boolean, drop, rest } = Options.prototype;
  const note = (path, key, value) => {
    if (!reading.options.has(path)) reading.options.set(path, new Map());
    const options = reading.options.get(path);
    if (!options.get(key)) options.set(key, value);
  };
  Object.assign(Options.prototype, {
    raw(key) {
      note(this.path, key, '');
      return raw.call(this, key);
    },
    has(key) {
      note(this.path, key, '');
      return Object.hasOwn(this.source, key);
    },
    choice(key, words) {
      note(this.path, key, [...words]);
      return choice.call(this, key, words);
    },
    boolean(key) {
      note(this.path, key, [true, false]);
      return boolean.call(this, key);
    },
    drop(...keys) {
      for (const key of keys) reading.dropped.push([this.path, key]);
      return drop.call(this, ...keys);
    },
    rest() {
      reading.fields.add(this.path);
      return rest.call(this);
    },
    fail: () => given,
    end() {
      note(this.path, FIELD, '');
    },
  });
  QueryParser.prototype.parse = (_, path) => {
    reading.kinds.set(path, 'query');
    return { kind: 'match_all', boost: 1, path };
  };
  QueryParser.prototype.parseList = (_, path) => {
    reading.kinds.set(path, 'queries');
    return [];
  };
  const { parse } = AggregationParser.prototype;
  AggregationParser.prototype.parse = function (value, path, ...others) {
    if (path === '') return parse.call(this, value, path, ...others);
    reading.kinds.set(path, 'aggregations');
    return [];
  };
  /** @param missing the value of an option that is needed and not given */
  return (run, missing) => {
    reading = { options: new Map(), kinds: new Map(), fields: new Set(), dropped: [] };
    given = missing;
    try {
      run();
    } catch {
      // Names that were read before count.
    }
    return reading;
  };
}

/** @param run parses a body whose options are at `path` */
function explore(recorder, run, path, depth = 0) {
  const below = (key) => (path === 'body' ? key : `${path}.${key}`);
  const bodies = [{}, { [FIELD]: {} }, { [FIELD]: {}, boost: 1 }];
  const readings = bodies.flatMap((body) => [undefined, 'a', []].map((missing) => recorder(() => run(body), missing)));
  const kind = readings.map(({ kinds }) => kinds.get(path)).find((found) => found !== undefined);
  if (kind !== undefined) return kind;
  const options = {};
  for (const { options: read, kinds, dropped } of readings) {
    for (const [key, value] of read.get(path) ?? []) options[key] = options[key] || value;
    for (const [place, key] of dropped)
      if (place === path && isRead(recorder, run, path, key)) options[key] = options[key] || '';
    for (const [place, value] of kinds) {
      const key = Object.keys(options).find((each) => below(each) === place);
      if (key !== undefined) options[key] = value;
    }
  }
  for (const key of Object.keys(options)) {
    if (key === FIELD || key.includes('script')) delete options[key];
    else if (options[key] === '' && depth < MAX_DEPTH)
      options[key] = exploreOption(recorder, run, below(key), key, depth);
  }
  // What all queries take comes last.
  for (const key of ['boost', '_name']) {
    const value = options[key];
    if (value === undefined) continue;
    delete options[key];
    options[key] = value;
  }
  if (NAMED.has(path.split('.').at(-1)))
    return { options, any: readings.map(({ kinds }) => kinds.get(below(FIELD))).find(Boolean) };
  if (!takesField(readings, path, below(FIELD))) return { options };
  return { options, field: explore(recorder, (body) => run({ [FIELD]: body }), below(FIELD), depth + 1) };
}

/** Whether a name that may be given has an effect. */
function isRead(recorder, run, path, key) {
  const found = recorder(() => run({ [FIELD]: {}, [key]: 'a' }));
  return found.options.get(path)?.has(key) === true;
}

function takesField(readings, path, place) {
  if (path === 'body') return false;
  return readings.some(({ options, kinds, fields }) => options.has(place) || kinds.has(place) || fields.has(path));
}

function exploreOption(recorder, run, place, key, depth) {
  for (const [wrap, path] of [
    [(value) => value, place],
    [(value) => [value], `${place}[0]`],
  ]) {
    const inside = (body) => run({ [FIELD]: {}, [key]: wrap(body) });
    const readings = [{}, { [FIELD]: {} }].map((body) => recorder(() => inside(body), 'a'));
    const isObject = readings.some(
      ({ options, kinds }) =>
        options.has(path) || options.has(`${path}.${FIELD}`) || kinds.has(path) || kinds.has(`${path}.${FIELD}`),
    );
    if (isObject) return explore(recorder, inside, path, depth + 1);
  }
  return '';
}

async function parsers() {
  const exported = {
    'parse/Options': 'Options',
    'parse/QueryParser': 'QueryParser',
    'aggregations/AggregationParser': 'AggregationParser',
    'request/parseSearch': 'parseSearch',
    'aggregations/AGGREGATION_KINDS': 'AGGREGATION_KINDS',
    'aggregations/compositeKind': 'SOURCE_KINDS',
    'kinds/QUERY_KINDS': 'QUERY_KINDS',
    'kinds/QUERY_PARSERS': 'queryParser',
  };
  const contents = Object.entries(exported).map(([path, names]) => `export { ${names} } from './${path}.js';`);
  const { outputFiles } = await build({
    stdin: { contents: contents.join('\n'), resolveDir: fileURLToPath(SOURCES) },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['source'],
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
