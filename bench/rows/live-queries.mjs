// Documents per second against 100,000 subscriptions by query. The peer is the filter engine with the same conditions as
// filters: the cost of the mapping and of the second stage.
import { FilterEngine } from '../../packages/filters/dist/index.js';
import { bindQuery, compileMapping, parseMapping, parseQuery } from '../../packages/query/dist/index.js';
import { LiveQueries } from '../../packages/search/dist/index.js';
import { timeTests } from '../filters/measure.mjs';
import { workload } from '../filters/workloads.mjs';

const NO_META = { createdAt: null, updatedAt: null, author: null, updater: null };
const KEYWORD = { type: 'keyword' };
export const MAPPING = {
  dynamic: true,
  properties: {
    ...Object.fromEntries(['user', 'group', 'status', 'tags', 'reference', 'language'].map((name) => [name, KEYWORD])),
    ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`optional${i}`, KEYWORD])),
    price: { type: 'double' },
    score: { type: 'double' },
    quantity: { type: 'integer' },
    created: { type: 'date' },
    active: { type: 'boolean' },
    location: { type: 'geo_point' },
    title: { type: 'text' },
    comment: { type: 'text' },
    info: {
      properties: {
        city: KEYWORD,
        age: { type: 'integer' },
        address: { properties: { street: { type: 'text' } } },
      },
    },
  },
};

/** The same condition as a query. Patterns have no equal: they are left out. */
export function toQuery(filter) {
  const [[name, argument]] = Object.entries(filter);
  switch (name) {
    case 'equals':
      return { term: argument };
    case 'in':
      return { terms: argument };
    case 'range':
    case 'exists':
      return { [name]: argument };
    case 'missing':
      return { bool: { must_not: { exists: argument } } };
    case 'geoDistance': {
      const { distance, ...rest } = argument;
      return { geo_distance: { ...rest, distance } };
    }
    case 'and':
      return { bool: { filter: argument.map(toQuery) } };
    case 'or':
      return { bool: { should: argument.map(toQuery) } };
    case 'not':
      return { bool: { must_not: toQuery(argument) } };
    default:
      throw new Error(`No query for ${name}`);
  }
}

export async function* rows({ rounds, isQuick, size = isQuick ? 1_000 : 100_000 }) {
  const mapping = compileMapping(parseMapping(MAPPING));
  const bind = (query) => bindQuery(parseQuery(query), mapping, 0).query;
  for (const name of ['equals', 'and(equals, range)', 'country circles', 'mixed selective']) {
    const work = workload(name, size);
    const live = new LiveQueries(mapping);
    const engine = new FilterEngine();
    const keys = new Map();
    for (const source of work.filters) {
      if (source.includes('"regexp"')) continue;
      const filter = JSON.parse(source);
      const { id, created } = engine.register('bench', 'live', filter);
      if (!created) continue;
      keys.set(id, filter);
      live.add(id, bind(toQuery(filter)));
    }
    const sides = {
      ours: {
        test: (source) => live.test({ id: 'd', source, meta: NO_META }),
      },
      peer: { test: (source) => engine.test('bench', 'live', source, 'd') },
    };
    let found = 0;
    for (const source of work.documents.slice(0, 100)) {
      const [mine, theirs] = [sides.ours, sides.peer].map((side) => side.test(JSON.parse(source)).sort());
      if (mine.join() !== theirs.join()) {
        const other = [...mine.filter((id) => !theirs.includes(id)), ...theirs.filter((id) => !mine.includes(id))];
        throw new Error(`They differ on ${source}: ${JSON.stringify(keys.get(other[0]))}`);
      }
      found += mine.length;
    }
    const figures = { ours: [], peer: [] };
    for (let round = -1; round < rounds; round++) {
      for (const side of round % 2 === 0 ? ['ours', 'peer'] : ['peer', 'ours']) {
        const perSecond = timeTests(sides[side], work.documents, isQuick ? 50 : 300);
        if (round >= 0) figures[side].push(perSecond);
      }
    }
    const { queries, exact } = live.size;
    yield {
      title: `${name}, ${queries.toLocaleString('en')} queries`,
      unit: 'documents/s',
      ...figures,
      target: '≥ 0.7',
      note: `${(found / 100).toFixed(1)} matches/document; ${exact} decided by filters alone`,
    };
  }
}
