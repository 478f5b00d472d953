// The workloads of filter measurements: documents of 16 fields and about 490 bytes, and seven kinds of filters, each with
// its share of matches per document.
const WORDS = Array.from(
  { length: 3_000 },
  (_, i) => `${'bcdfghklmnprst'[i % 14]}${'aeiou'[i % 5]}${(i * 7919).toString(36)}`,
);
const COUNTRY = { lat: [43, 52], lon: [-3, 10.5] };
// 52 km × 52 km.
const CITY = { lat: [48.6, 49.0676], lon: [2, 2.711] };

function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Makes filters and documents for `size` filters; the same ones for the same arguments. */
export function workload(name, size, seed = 1) {
  const next = random(seed);
  const below = (limit) => Math.floor(next() * limit);
  const between = ([low, high]) => low + next() * (high - low);
  const user = () => `user-${String(below(size)).padStart(7, '0')}`;
  // A hundred filters per value, whatever the size.
  const group = () => `group-${String(below(Math.max(1, size / 100))).padStart(6, '0')}`;
  const place = ({ lat, lon }) => ({ lat: between(lat), lon: between(lon) });
  const word = () => WORDS[below(WORDS.length)];
  const equalsGroup = () => ({ equals: { group: group() } });
  const range = (field, share) => {
    const length = between([0, 2 * share * 1_000]);
    const low = between([-length, 1_000]);
    return { range: { [field]: { gte: low, lt: low + length } } };
  };
  const circle = (area) => ({
    geoDistance: { location: place(area), distance: `${Math.round(between([1_000, 5_000]))} m` },
  });
  const kinds = {
    equals: () => ({ equals: { user: user() } }),
    'and(equals, range)': () => ({ and: [equalsGroup(), range('price', 0.105)] }),
    'overlapping ranges': () => range('price', 0.027),
    'city circles': () => circle(CITY),
    'country circles': () => circle(COUNTRY),
    mixed: () => mixed(false),
    'mixed selective': () => mixed(true),
  };
  const selective = (isSelective, filter) => (isSelective ? { and: [equalsGroup(), filter] } : filter);
  const mixed = (isSelective) => {
    const part = next();
    if (part < 0.4) return { and: [equalsGroup(), range('price', 0.105)] };
    if (part < 0.55) return { in: { user: Array.from({ length: 2 + below(4) }, user) } };
    if (part < 0.65) {
      const name = next() < 0.5 ? 'exists' : 'missing';
      return selective(isSelective, { [name]: { field: `optional${below(20)}` } });
    }
    if (part < 0.75) return selective(isSelective, { not: { equals: { user: user() } } });
    if (part < 0.85) return circle(COUNTRY);
    if (part < 0.9) return { regexp: { title: { value: `${word()}[a-z]? ${word()}` } } };
    return {
      or: [
        { and: [equalsGroup(), range('score', 0.1)] },
        { and: [{ equals: { user: user() } }, { equals: { active: next() < 0.5 } }] },
      ],
    };
  };
  const filter = kinds[name];
  const document = () => ({
    user: user(),
    group: group(),
    price: between([0, 1_000]),
    score: between([0, 1_000]),
    location: place(name === 'city circles' ? CITY : COUNTRY),
    title: Array.from({ length: 6 }, word).join(' '),
    active: next() < 0.5,
    status: ['open', 'closed', 'waiting'][below(3)],
    created: 1_600_000_000_000 + below(1e11),
    tags: [word(), word(), word()],
    info: { city: word(), age: below(90), address: { street: `${below(200)} ${word()} street` } },
    [`optional${below(20)}`]: word(),
    reference: `reference-${below(1e9).toString(36).padStart(8, '0')}-${'x'.repeat(24)}`,
    quantity: below(1_000),
    language: ['en', 'fr', 'de', 'es'][below(4)],
    comment: Array.from({ length: 8 }, word).join(' '),
  });
  const sources = (count, make) => Array.from({ length: count }, () => JSON.stringify(make()));
  return {
    filters: sources(size, filter),
    documents: sources(1_000, document),
    more: () => filter(),
  };
}

export const WORKLOADS = [
  { name: 'equals', target: 6 },
  { name: 'and(equals, range)', target: 3_000 },
  { name: 'overlapping ranges', target: 100 },
  { name: 'city circles', target: 40 },
  { name: 'country circles', target: 5 },
  { name: 'mixed', target: 100 },
  { name: 'mixed selective', target: 1_000 },
];
