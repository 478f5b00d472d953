/** Words so frequent that some 3 % to 20 % of the documents have them, by rank. */
const FREQUENT = 20;

/** The searches of the comparison: each call gives a new body, so that no cache of requests answers. */
export function searchKinds(source, text) {
  const { integer } = source;
  const wide = () => {
    const low = integer(900);
    return { range: { quantity: { gte: low, lt: low + 100 } } };
  };
  const match = (a, b) => ({ query: { match: { [text]: `${a} ${b}` } } });
  return {
    'term 2 %': () => ({ query: { term: { status: `status-${integer(50)}` } } }),
    'term 0.001 %': () => ({ query: { term: { session: source.session() } } }),
    'range 1 %': () => {
      const low = integer(9_900);
      return { query: { range: { amount: { gte: low, lt: low + 100 } } } };
    },
    'bool term 2 % + range 10 %': () => ({
      query: {
        bool: { filter: [{ term: { status: `status-${integer(50)}` } }, wide()] },
      },
    }),
    'match, 2 words as they come': () => match(source.word(), source.word()),
    'match, 2 middling words': () => match(source.wordAt(200 + integer(200)), source.wordAt(200 + integer(200))),
    'match, 2 of the 20 most frequent words': () =>
      match(source.wordAt(integer(FREQUENT)), source.wordAt(integer(FREQUENT))),
    'terms, 50 values': () => ({ size: 0, aggs: { x: { terms: { field: 'status', size: 50 } } } }),
    'terms, 10,000 values': () => ({
      size: 0,
      aggs: { x: { terms: { field: 'customer', size: 10 + integer(10) } } },
    }),
    'terms, 10,000 values, under range 10 %': () => ({
      size: 0,
      query: wide(),
      aggs: { x: { terms: { field: 'customer' } } },
    }),
    'date_histogram by day, 1,158 buckets': () => ({
      size: 0,
      aggs: { x: { date_histogram: { field: 'created', calendar_interval: 'day' } } },
    }),
    'date_histogram by month under term 2 %': () => ({
      size: 0,
      query: { term: { status: `status-${integer(50)}` } },
      aggs: { x: { date_histogram: { field: 'created', calendar_interval: 'month' } } },
    }),
    'geo_distance 500 km': () => ({
      query: { geo_distance: { distance: '500km', place: source.place() } },
    }),
    'geohash_grid 3': () => ({
      size: 0,
      aggs: { x: { geohash_grid: { field: 'place', precision: 3, size: 10 + integer(10) } } },
    }),
    'sort by number, top 10': () => ({ sort: [{ amount: 'desc' }], size: 10 + integer(3) }),
    'sort by number under term 2 %, top 10': () => ({
      query: { term: { status: `status-${integer(50)}` } },
      sort: [{ amount: 'desc' }],
    }),
    'deep page, hits 9,000 to 10,000 by 10': () => ({
      sort: [{ amount: 'asc' }],
      from: 9_000 + integer(990),
    }),
    'deep page by score, match': () => ({
      ...match(source.wordAt(integer(FREQUENT)), source.word()),
      from: 9_000 + integer(990),
    }),
  };
}
