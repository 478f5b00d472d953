const COUNT = 150_000;
const PER_BULK = 10_000;
const WORDS = ['mill', 'race', 'water', 'wheel', 'order', 'north', 'forge', 'stone', 'world', 'doors'];

const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    document: { actions: { search: true, get: true } },
    server: { actions: { now: true } },
  },
};

/** A search over a keyword field that takes a sixth of a second of the search thread. */
export const SLOW_SEARCH = {
  controller: 'document',
  action: 'search',
  index: 'small',
  collection: 'docs',
  body: { query: { wildcard: { 't.keyword': { value: '*o*r*d*5*x*' } } } },
};

/** Creates 150,000 small documents and a user who may search them. */
export async function searchableDocuments(server) {
  await server.call('PUT', '/small');
  const text = { type: 'text', fields: { keyword: { type: 'keyword' } } };
  await server.call('PUT', '/small/docs', { properties: { t: text } });
  for (let from = 0; from < COUNT; from += PER_BULK) {
    const bulkData = [];
    for (let number = from; number < from + PER_BULK; number++) {
      const words = [0, 3, 7].map((step) => WORDS[(number * 7 + step * (number >> 3)) % WORDS.length]);
      bulkData.push({ index: { _id: `d${number}` } }, { t: `${words.join(' ')} ${number}` });
    }
    await server.call('POST', '/small/docs/_bulk', { bulkData });
  }
  return server.account('mallory', ROLE);
}
