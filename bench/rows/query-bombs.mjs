// What a single hostile search costs: its own time and, meanwhile, the longest wait of another client's GET /_now and of an
// ordinary search. Against a separate server process on the embedded engine, and on Elasticsearch where MILLRACE_TEST_ELASTICSEARCH names one.
import { documentSource, MAPPING } from '../documents.mjs';
import { startServer } from '../../scripts/startServer.mjs';

const PATH = '/bench/bombs';

const nest = (depth, make, inner) => (depth === 0 ? inner : make(nest(depth - 1, make, inner)));
const words = (count) => Array.from({ length: count }, (_, n) => `w${n}`);
const aggs = (depth) =>
  nest(depth, (inner) => ({ a: { terms: { field: 'n1', size: 10_000 }, ...(inner && { aggs: inner }) } }), undefined);

const FIELDS = { keyword: 'session', number: 'amount', text: 'title', point: 'place' };

/** The search of another client meanwhile. */
const ORDINARY = { query: { range: { amount: { gte: 1 } } }, size: 5 };

/** Name → search body. */
const BOMBS = {
  'bool nested 1,000 deep': () => ({ query: nest(1000, (inner) => ({ bool: { must: [inner] } }), { match_all: {} }) }),
  'terms with 100,000 values': ({ keyword }) => ({ query: { terms: { [keyword]: words(100_000) } } }),
  'terms with 65,000 values': ({ keyword }) => ({ query: { terms: { [keyword]: words(65_000) } } }),
  'bool of 10,000 clauses': ({ keyword }) => ({ query: { bool: { should: words(10_000).map((word) => ({ term: { [keyword]: word } })) } } }),
  '10,000 buckets in 10,000 buckets': ({ number }) => ({
    size: 0,
    aggs: { a: { terms: { field: number, size: 10_000 }, aggs: { b: { terms: { field: number, size: 10_000 }, aggs: { c: { terms: { field: number, size: 10_000 } } } } } } },
  }),
  'histogram with an interval of 1e-9': ({ number }) => ({ size: 0, aggs: { a: { histogram: { field: number, interval: 1e-9, min_doc_count: 0 } } } }),
  'aggregations 100 deep': () => ({ size: 0, aggs: aggs(100) }),
  'regexp (a+)+b': ({ keyword }) => ({ query: { regexp: { [keyword]: '(a+)+(a+)+(a+)+b' } } }),
  'regexp .*.*.*.*x': ({ keyword }) => ({ query: { regexp: { [keyword]: '.*.*.*.*.*.*.*.*x' } } }),
  'regexp (.{1,500}){1,500}': ({ keyword }) => ({ query: { regexp: { [keyword]: '(.{1,500}){1,500}' } } }),
  'wildcard *a*a*a*a*a*': ({ keyword }) => ({ query: { wildcard: { [keyword]: '*a*a*a*a*a*a*a*a*' } } }),
  'wildcard of 10,000 stars': ({ keyword }) => ({ query: { wildcard: { [keyword]: '*a'.repeat(10_000) } } }),
  'query_string of 20,000 words': () => ({ query: { query_string: { query: words(20_000).join(' ') } } }),
  'match of 50,000 words': ({ text }) => ({ query: { match: { [text]: words(50_000).join(' ') } } }),
  'fuzzy match of 900 words': ({ text }) => ({ query: { match: { [text]: { query: words(900).join(' '), fuzziness: 2 } } } }),
  'phrase of 1,000 words with slop': ({ text }) => ({ query: { match_phrase: { [text]: { query: 'a '.repeat(1000), slop: 1_000_000 } } } }),
  '100 buckets in 100 in 100': ({ keyword, number }) => ({ size: 0, aggs: { a: { terms: { field: keyword, size: 100 }, aggs: { b: { terms: { field: number, size: 100 }, aggs: { c: { terms: { field: keyword, size: 100 } } } } } } } }),
  '200 ranges in 200 ranges': ({ number }) => {
    const range = { field: number, ranges: Array.from({ length: 200 }, (_, from) => ({ from })) };
    return { size: 0, aggs: { a: { range, aggs: { b: { range } } } } };
  },
  '1,000 wildcards': ({ keyword }) => ({ query: { bool: { should: Array.from({ length: 1000 }, (_, n) => ({ wildcard: { [keyword]: `*${n}*${n % 7}*` } })) } } }),
  '500 decays': ({ number }) => ({ query: { function_score: { functions: Array.from({ length: 500 }, (_, origin) => ({ gauss: { [number]: { origin, scale: 9 } } })) } } }),
  'from 2,000,000,000': () => ({ query: { match_all: {} }, from: 2_000_000_000 }),
  'polygon of 50,000 points': ({ point }) => ({ query: { geo_polygon: { [point]: { points: Array.from({ length: 50_000 }, (_, n) => ({ lat: Math.sin(n) * 80, lon: Math.cos(n * 7) * 170 })) } } } }),
}; // prettier-ignore

/** With `--only embedded` or `--only Elasticsearch` one of the two. */
export async function* rows({ isQuick, only }) {
  const elasticsearch = process.env.MILLRACE_TEST_ELASTICSEARCH;
  const wants = (engine) => only === undefined || new RegExp(only).test(engine);
  if (wants('embedded')) yield* bombs('embedded', [], isQuick ? 2_000 : 50_000);
  if (!wants('Elasticsearch')) return;
  if (elasticsearch === undefined) {
    console.log('query-bombs: MILLRACE_TEST_ELASTICSEARCH names no server: only the embedded engine is tried');
    return;
  }
  const flags = [
    '--storage.engine', 'elasticsearch', '--storage.elasticsearch.node', elasticsearch,
    '--storage.elasticsearch.prefix', `bombs${process.pid}`,
  ]; // prettier-ignore
  yield* bombs('Elasticsearch', flags, isQuick ? 2_000 : 50_000);
} // prettier-ignore

async function* bombs(engine, flags, count) {
  const server = await startServer(['node', 'packages/server/bin/millrace.js', '--log.level', 'error', ...flags]);
  try {
    await fill(server.url, count);
    for (const [name, make] of Object.entries(BOMBS)) {
      const { status, tookMs, lagMs, searchMs } = await throwOne(server.url, make(FIELDS));
      const note = `GET /_now waited ${Math.round(lagMs)} ms at most, a search ${Math.round(searchMs)} ms |`;
      yield { title: `${engine}: ${name} → ${status}`, unit: 'ms', ours: [tookMs], target: '< 1,000', note };
    }
  } finally {
    await send(server.url, 'DELETE', '/bench');
    await server.stop();
  }
} // prettier-ignore

async function fill(url, count) {
  const mapping = { properties: { ...MAPPING.properties, place: { type: 'geo_point' } } };
  await send(url, 'PUT', PATH, mapping);
  const source = documentSource(7);
  for (let start = 0; start < count; start += 5_000) {
    const bulkData = [];
    for (let n = start; n < Math.min(count, start + 5_000); n++) {
      bulkData.push({ index: { _id: `d${n}` } }, { ...source.make(), place: source.place() });
    }
    await send(url, 'POST', `${PATH}/_bulk?refresh=wait_for`, { bulkData });
  }
  // The first search builds what later ones use.
  await send(url, 'POST', `${PATH}/_search`, { query: { match_all: {} } });
}

/** Sends the bomb, and asks for the time and for a few documents over and over meanwhile. */
async function throwOne(url, body) {
  let isDone = false;
  const longestWait = async (ask) => {
    let longestMs = 0;
    while (!isDone) {
      const startMs = performance.now();
      await ask();
      longestMs = Math.max(longestMs, performance.now() - startMs);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return longestMs;
  };
  const lag = longestWait(async () => (await fetch(`${url}/_now`)).text());
  const search = longestWait(() => send(url, 'POST', `${PATH}/_search`, ORDINARY));
  const startMs = performance.now();
  const { status } = await send(url, 'POST', `${PATH}/_search`, body, true);
  const tookMs = performance.now() - startMs;
  isDone = true;
  return { status, tookMs, lagMs: await lag, searchMs: await search };
}

async function send(url, method, path, body, mayFail = false) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { status, error } = await response.json();
  if (status >= 500 || (status !== 200 && !mayFail)) throw new Error(`${method} ${path}: ${status} ${error?.message}`);
  return { status };
} // prettier-ignore
