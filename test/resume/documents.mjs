const COLOURS = ['red', 'green', 'blue'];
const MAX_STOCK = 100;

export const MAPPING = { colour: { type: 'keyword' }, stock: { type: 'integer' } };

const pick = (random, values) => values[Math.floor(random() * values.length)];

/** @param {boolean} isPartial only one of the fields */
export function randomDocument(random, isPartial) {
  const colour = pick(random, COLOURS);
  const stock = Math.floor(random() * MAX_STOCK);
  if (!isPartial) return { colour, stock };
  return random() < 0.5 ? { colour } : { stock };
}

/** A filter, and the query that finds the same documents. */
export function randomFilter(random) {
  const kind = random();
  if (kind < 0.15) return { filter: {}, query: { match_all: {} } };
  const colour = pick(random, COLOURS);
  const isColour = { filter: { equals: { colour } }, query: { term: { colour } } };
  if (kind < 0.35) return isColour;
  const gte = Math.floor((random() * MAX_STOCK) / 2);
  const range = { stock: { gte, lt: gte + MAX_STOCK / 3 } };
  const inRange = { filter: { range }, query: { range } };
  if (kind < 0.5) return inRange;
  const both = [isColour, inRange];
  const [filters, queries] = [both.map(({ filter }) => filter), both.map(({ query }) => query)];
  if (kind < 0.7) return { filter: { and: filters }, query: { bool: { must: queries } } };
  if (kind < 0.85) return { filter: { or: filters }, query: { bool: { should: queries } } };
  return { filter: { not: isColour.filter }, query: { bool: { must_not: [isColour.query] } } };
}
