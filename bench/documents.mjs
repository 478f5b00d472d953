// Documents of measurements: 490 bytes, 8 keyword, number and date fields, one text of up to 12 words.
const WORDS = Array.from({ length: 20_000 }, (_, i) => `word${i.toString(36)}`);

/** A seeded source of documents. */
export function documentSource(seed = 1) {
  let state = seed * 2654435761;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const integer = (below) => Math.floor(next() * below);
  // Zipf-like: small ranks come often.
  const word = () => WORDS[Math.floor(WORDS.length ** next()) - 1] ?? WORDS[0];
  const words = (count) => Array.from({ length: count }, word).join(' ');
  const padded = (prefix, n) => `${prefix}-${String(n).padStart(8, '0')}-${'x'.repeat(40)}`;
  const session = () => padded('session', integer(100_000));
  const place = () => ({
    lat: integer(180_000) / 1_000 - 90,
    lon: integer(360_000) / 1_000 - 180,
  });
  return {
    integer,
    word,
    /** The word that is the n-th most frequent, from 0. */
    wordAt: (rank) => WORDS[rank],
    session,
    place,
    make: (textWords = 6 + integer(7)) => ({
      status: `status-${integer(50)}`,
      country: padded('country', integer(100)),
      customer: padded('customer', integer(10_000)),
      session: session(),
      amount: Math.round(next() * 1e6) / 100,
      quantity: integer(1000),
      created: new Date(Date.UTC(2021, 0, 1) + integer(1158 * 86_400) * 1000).toISOString(),
      level: integer(10),
      title: words(textWords),
    }),
  };
}

export const MAPPING = {
  properties: {
    status: { type: 'keyword' },
    country: { type: 'keyword' },
    customer: { type: 'keyword' },
    session: { type: 'keyword' },
    amount: { type: 'double' },
    quantity: { type: 'integer' },
    created: { type: 'date' },
    level: { type: 'integer' },
    title: { type: 'text' },
  },
};
