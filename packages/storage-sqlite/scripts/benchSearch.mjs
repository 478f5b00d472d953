// Prints the duration of searches, in process and without the hop between threads:
//   npx tsc -b packages/storage-sqlite && node packages/storage-sqlite/scripts/benchSearch.mjs [documents]
import { TestCollection } from '../dist/search/TestCollection.test.support.js';

const documentCount = Number(process.argv[2] ?? 100_000);
const RUNS = 200;

let state = 42;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const below = (limit) => Math.floor(random() * limit);
const zipf = (count) => Math.floor(count ** random()) - 1;
const word = (rank) => `w${rank.toString(36)}`;

const mapping = {
  properties: {
    k50: { type: 'keyword' },
    k100: { type: 'keyword' },
    k10k: { type: 'keyword' },
    price: { type: 'double' },
    qty: { type: 'integer' },
    day: { type: 'date' },
    loc: { type: 'geo_point' },
    title: { type: 'text' },
  },
};
const START = Date.parse('2021-01-01');
const document = () => ({
  k50: `value-${below(50)}`,
  k100: `value-${below(100)}`,
  k10k: `value-${below(10_000)}`,
  price: below(1_000_000) / 100,
  qty: below(1_000_000),
  day: new Date(START + below(100_000_000) * 1_000).toISOString(),
  loc: { lat: below(180_000) / 1_000 - 90, lon: below(360_000) / 1_000 - 180 },
  title: Array.from({ length: 6 + below(7) }, () => word(zipf(20_000))).join(' '),
});

const things = new TestCollection(mapping);
let startMs = performance.now();
for (let from = 0; from < documentCount; from += 10_000) {
  const batch = {};
  for (let i = from; i < Math.min(from + 10_000, documentCount); i += 1) batch[`id${i}`] = document();
  things.put(batch);
}
console.log(`${documentCount} documents written in ${((performance.now() - startMs) / 1_000).toFixed(1)} s`);
startMs = performance.now();
things.search({});
console.log(
  `indexed in ${((performance.now() - startMs) / 1_000).toFixed(1)} s, ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB resident`,
);

const range = (field, width) => {
  const gte = below(1_000_000 * (1 - width));
  return { range: { [field]: { gte, lt: gte + 1_000_000 * width } } };
};
const kinds = {
  match_all: () => ({}),
  'term 1 %': () => ({ query: { term: { k100: `value-${below(100)}` } } }),
  'term 0.01 %': () => ({ query: { term: { k10k: `value-${below(10_000)}` } } }),
  'range 1 %': () => ({ query: range('qty', 0.01) }),
  'bool term 1 % + range 10 %': () => ({
    query: { bool: { filter: [{ term: { k100: `value-${below(100)}` } }, range('qty', 0.1)] } },
  }),
  'match, 2 middling words': () => ({
    query: { match: { title: `${word(200 + below(200))} ${word(200 + below(200))}` } },
  }),
  'match, 2 frequent words': () => ({
    query: { match: { title: `${word(below(20))} ${word(below(20))}` } },
  }),
  'match_phrase, 2 frequent words': () => ({
    query: { match_phrase: { title: `${word(below(20))} ${word(below(20))}` } },
  }),
  'match_phrase, slop 2': () => ({
    query: { match_phrase: { title: { query: `${word(below(20))} ${word(below(20))}`, slop: 2 } } },
  }),
  'function_score over a match': () => ({
    query: {
      function_score: {
        query: { match: { title: word(below(20)) } },
        field_value_factor: { field: 'price', modifier: 'log1p' },
      },
    },
  }),
  'highlight of 10 hits': () => ({
    query: { match: { title: word(200 + below(200)) } },
    highlight: { fields: { title: {} } },
  }),
  prefix: () => ({ query: { prefix: { k10k: `value-${below(100)}` } } }),
  'terms agg, 50 values': () => ({ size: 0, aggs: { t: { terms: { field: 'k50' } } } }),
  'terms agg, 10k values': () => ({ size: 0, aggs: { t: { terms: { field: 'k10k' } } } }),
  'terms agg under range 10 %': () => ({
    size: 0,
    query: range('qty', 0.1),
    aggs: { t: { terms: { field: 'k10k' } } },
  }),
  'terms agg with avg': () => ({
    size: 0,
    aggs: { t: { terms: { field: 'k50' }, aggs: { a: { avg: { field: 'price' } } } } },
  }),
  'date_histogram, days': () => ({
    size: 0,
    aggs: { d: { date_histogram: { field: 'day', calendar_interval: 'day' } } },
  }),
  'date_histogram, months in Paris': () => ({
    size: 0,
    aggs: {
      d: {
        date_histogram: { field: 'day', calendar_interval: 'month', time_zone: 'Europe/Paris' },
      },
    },
  }),
  stats: () => ({ size: 0, aggs: { s: { stats: { field: 'price' } } } }),
  'sort by number': () => ({ sort: [{ price: 'desc' }] }),
  'sort by number under term 1 %': () => ({
    query: { term: { k100: `value-${below(100)}` } },
    sort: ['qty'],
  }),
  'sort by keyword': () => ({ sort: ['k10k'] }),
  'geohash_grid, precision 3': () => ({
    size: 0,
    aggs: { g: { geohash_grid: { field: 'loc', precision: 3 } } },
  }),
  'geo_distance 500 km': () => ({
    query: {
      geo_distance: { distance: '500km', loc: { lat: below(120) - 60, lon: below(360) - 180 } },
    },
  }),
};

for (const [name, body] of Object.entries(kinds)) {
  const timesMs = [];
  for (let i = 0; i < RUNS; i += 1) {
    const request = body();
    startMs = performance.now();
    things.search(request);
    timesMs.push(performance.now() - startMs);
  }
  timesMs.sort((a, b) => a - b);
  const at = (part) => timesMs[Math.floor(part * RUNS)].toFixed(3).padStart(9);
  console.log(`${name.padEnd(34)} p50 ${at(0.5)} ms   p99 ${at(0.99)} ms`);
}
things.close();
