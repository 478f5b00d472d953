// Filters written to hold the event loop as long as one filter can: each near a limit of what is accepted, or just above.
const list = (length, make) => Array.from({ length }, (_, i) => make(i));
const equals = (field, value) => ({ equals: { [field]: value } });
const flag = (isSet, field) => (isSet ? { exists: field } : { missing: field });
const GEOHASH = '0123456789bcdefghjkmnpqrstuvwxyz';
const geohash = (i) => list(12, (k) => GEOHASH[(Math.imul(i + 7, 2_654_435_761) >>> k) & 31]).join('');

/** Shapes by name: `size` scales those of the random search, 1 is near the limits. */
export const SHAPES = {
  'one equals': () => equals('a', 'x'),
  products: () => ({ and: list(9, (i) => ({ or: [equals(`a${i}`, 1), equals(`b${i}`, 1)] })) }),
  'products of 500': (size = 1) => ({
    and: list(500 * size, (i) => ({ or: [equals(`a${i}`, 1), equals(`b${i}`, 1)] })),
  }),
  '500 and of lists': (size = 1) => ({
    or: list(460 * size, (i) => ({
      and: [{ in: { s: [i % 7, i % 11, i % 13] } }, { in: { t: [i % 5, i % 17] } }, equals('u', i % 50)],
    })),
  }),
  '500 and of two lists': (size = 1) => ({
    or: list(500 * size, (i) => ({
      and: [{ in: { s: [i % 7, i % 11] } }, { in: { t: [i % 5, i % 17] } }],
    })),
  }),
  '300 overlapping lists': (size = 1) => ({
    or: list(300 * size, (i) => ({
      and: [{ in: { s: list(5, (k) => (i * k) % 40) } }, { in: { t: list(5, (k) => (i + k * k) % 40) } }],
    })),
  }),
  '100 overlapping lists of three': (size = 1) => ({
    or: list(100 * size, (i) => ({
      and: ['s', 't', 'u'].map((f, j) => ({
        in: { [f]: list(10, (k) => (i * (j + 3) * 7 + k * k) % 40) },
      })),
    })),
  }),
  'or of long lists': (size = 1) => ({
    or: list(7 * size, (i) => ({ in: { s: list(1_024, (k) => i * 1_024 + k) } })),
  }),
  'and of long lists': (size = 1) => ({
    and: list(7 * size, (i) => ({ in: { s: list(1_024, (k) => i + k) } })),
  }),
  'not of long lists': (size = 1) => ({
    and: list(7 * size, (i) => ({ not: { in: { s: list(1_024, (k) => i * 1_024 + k) } } })),
  }),
  'lists of strings': (size = 1) => ({
    or: list(4 * size, (i) => ({
      in: { s: list(1_024, (k) => `value-${(k * 7_919) % 1_024}-${i}`) },
    })),
  }),
  '4 x 2 lists of 512 values': (size = 1) => ({
    or: list(4, (i) => ({
      and: ['s', 't'].map((f) => ({ in: { [f]: list(512 * size, (k) => (k * (i + 3)) % 1_500) } })),
    })),
  }),
  'flags of two': () => ({
    or: list(512, (i) => ({ and: [{ exists: `a${i % 32}` }, { missing: `b${i >> 4}` }] })),
  }),
  'flags of three': () => ({
    or: list(340, (i) => ({
      and: [0, 1, 2].map((k) => flag((i * 31 + k * 17) % 3, `f${(i * 7_919 + k * 104_729) % 60}`)),
    })),
  }),
  '100 minterms of 10': (size = 1) => ({
    or: list(100 * size, (i) => ({ and: list(10, (k) => flag(((i * 37) >> k) & 1, `f${k}`)) })),
  }),
  '128 minterms of 7': () => ({
    or: list(128, (i) => ({ and: list(7, (k) => flag((i >> k) & 1, `f${k}`)) })),
  }),
  'all minterms but one': () => ({
    or: list(63, (i) => ({ and: list(6, (k) => flag((i >> k) & 1, `f${k}`)) })),
  }),
  'equals on one field': (size = 1) => ({ or: list(2_390 * size, (i) => equals('a', i)) }),
  'equals on one field, duplicates': (size = 1) => ({
    or: list(2_390 * size, (i) => equals('a', i % 600)),
  }),
  'equals on many fields': (size = 1) => ({
    and: list(2_390 * size, (i) => equals(`field${i}`, i)),
  }),
  'the same equals': (size = 1) => ({ and: list(2_390 * size, () => equals('a', 1)) }),
  'all limits': () => ({
    or: list(512, (i) => ({ and: [{ not: equals(`a${i}`, i) }, { not: equals(`b${i % 9}`, i) }] })),
  }),
  '1,024 ranges': () => ({
    and: list(1_024, (i) => ({ range: { [`f${i}`]: { gt: i, lte: i + 0.5 } } })),
  }),
  '1,024 ranges of one field': () => ({
    and: list(1_024, (i) => ({ range: { f: { gt: -i - 0.25, lte: i + 0.5 } } })),
  }),
  'bool with everything': (size = 1) => ({
    bool: {
      must: list(500 * size, (i) => ({ term: { [`f${i}`]: { value: i, boost: 1 } } })),
      must_not: list(500 * size, (i) => ({ terms: { [`g${i}`]: [i, i + 1], boost: 2 } })),
      filter: { match_all: {} },
    },
  }),
  'a ladder of nots': () =>
    list(31, (i) => i).reduce(
      (inner, i) => ({
        [i % 2 ? 'not' : 'and']: i % 2 ? inner : [inner, equals(`f${i}`, i), { not: equals(`g${i}`, i) }],
      }),
      { exists: 'z' },
    ),
  'disjunctions of 16': () => ({
    or: list(16, (i) => ({ and: list(16, (k) => equals(`f${k}`, (i * 7 + k * 3) % 5)) })),
  }),
  'the negation of 8': () => ({
    not: { or: list(8, (i) => ({ and: [equals(`a${i}`, 1), equals(`b${i}`, 1)] })) },
  }),
  'the negation of 30': () => ({
    not: { or: list(30, (i) => ({ and: [equals(`a${i % 6}`, i), equals(`b${i % 5}`, i)] })) },
  }),
  'three disjunctions of 8': () => ({
    and: list(3, (k) => ({
      or: list(8, (i) => ({ and: [equals(`a${k}`, i), { not: equals(`b${k}${i}`, i) }] })),
    })),
  }),
  '320 patterns': (size = 1) => ({
    or: list(320 * size, (i) => ({ regexp: { a: `(abc|d[e-z]+){1,3}x${i}` } })),
  }),
  '510 small patterns': (size = 1) => ({
    or: list(510 * size, (i) => ({ regexp: { a: `[a-f]?${i}` } })),
  }),
  '8 patterns of 1,000 letters': (size = 1) => ({
    or: list(8 * size, (i) => ({ regexp: { a: 'x'.repeat(990) + i } })),
  }),
  '8 patterns of 500 wildcards': (size = 1) => ({
    or: list(8 * size, (i) => ({ regexp: { a: 'a.'.repeat(495) + i } })),
  }),
  '8 patterns of 330 classes': (size = 1) => ({
    or: list(8 * size, (i) => ({
      regexp: { a: list(330, (k) => `[${String.fromCharCode(97 + ((k + i) % 26))}]`).join('') },
    })),
  }),
  '8 patterns of 250 groups': (size = 1) => ({
    or: list(8 * size, (i) => ({ regexp: { a: `(a)?`.repeat(245) + i } })),
  }),
  '8 patterns of nested groups': (size = 1) => ({
    or: list(8 * size, (i) => ({ regexp: { a: '('.repeat(300) + i + ')+'.repeat(300) } })),
  }),
  '8 patterns of choices': (size = 1) => ({
    or: list(8 * size, (i) => ({ regexp: { a: { value: 'abc|'.repeat(240) + i, flags: 'iu' } } })),
  }),
  '70 properties': (size = 1) => ({
    or: list(8 * size, (i) => ({
      regexp: { a: { value: `\\u{41}\\p{L}`.repeat(8) + i, flags: 'iu' } },
    })),
  }),
  '3 polygons of geohashes': (size = 1) => ({
    and: list(3 * size, (i) => ({
      geoPolygon: { p: { points: list(1_024, (k) => geohash(k + i)) } },
    })),
  }),
  '8 polygons of geohashes': (size = 1) => ({
    and: list(8 * size, (i) => ({
      geoPolygon: { p: { points: list(1_024, (k) => geohash(k + i)) } },
    })),
  }),
  '3 polygons of objects': (size = 1) => ({
    and: list(3 * size, (i) => ({
      geoPolygon: {
        p: {
          points: list(1_024, (k) => ({
            lat: Math.sin(k / 100) * 30 + i / 100,
            lon: Math.cos(k / 100) * 30,
          })),
        },
      },
    })),
  }),
  '3 polygons of strings': (size = 1) => ({
    and: list(3 * size, (i) => ({
      geoPolygon: {
        p: {
          points: list(1_024, (k) => `${Math.sin(k / 100) * 30 + i / 100}, ${Math.cos(k / 100) * 30}`),
        },
      },
    })),
  }),
  '1,000 discs': (size = 1) => ({
    or: list(500 * size, (i) => ({
      geoDistance: { p: `${i % 90}.123456, ${i % 180}.123456`, distance: `${i},5 kilometers` },
    })),
  }),
  '500 boxes of corners': (size = 1) => ({
    or: list(500 * size, (i) => ({
      geoBoundingBox: { p: { topLeft: geohash(1), bottomRight: geohash(1), ...(i && {}) } },
    })),
  }),
  '20 strings of 6,500': (size = 1) => ({
    in: { a: list(20 * size, (i) => String.fromCharCode(97 + i).repeat(6_500)) },
  }),
  '280 fields of 460': (size = 1) => ({
    and: list(280 * size, (i) => ({ exists: `${i}.`.repeat(92) })),
  }),
  '512 conditions of 120 characters': (size = 1) => ({
    or: list(512 * size, (i) => equals(`field-${i}-${'x'.repeat(50)}`, 'y'.repeat(40))),
  }),
  '512 negated conditions in pairs': (size = 1) => ({
    or: list(256 * size, (i) => ({
      and: [{ not: equals(`a${i}`, i) }, { not: equals(`b${i}`, i) }],
    })),
  }),
  '480 ranges in a ladder of 16 levels': () =>
    list(30, (i) => i).reduce(
      (inner, i) => ({
        [i % 2 ? 'and' : 'or']: [...list(16, (k) => ({ range: { [`f${i}-${k}`]: { gt: i, lt: i + k + 1 } } })), inner],
      }),
      { exists: 'z' },
    ),
  '2,000 equals below 15 pairs that fall away': () =>
    list(30, (i) => i).reduce(
      (inner, i) => ({
        [i % 2 ? 'or' : 'and']: [inner, { [i % 2 ? 'nothing' : 'match_all']: {} }],
      }),
      { or: list(2_000, (i) => equals('a', i)) },
    ),
  '500 fields below 15 pairs that fall away': () =>
    list(30, (i) => i).reduce(
      (inner, i) => ({
        [i % 2 ? 'or' : 'and']: [inner, { [i % 2 ? 'nothing' : 'match_all']: {} }],
      }),
      { or: list(500, (i) => equals(`field-${i}-${'x'.repeat(60)}`, i)) },
    ),
  '500 fields below 15 pairs that stay': () =>
    list(30, (i) => i).reduce((inner, i) => ({ [i % 2 ? 'or' : 'and']: [inner, { missing: `m${i}` }] }), {
      or: list(470, (i) => equals(`field-${i}-${'x'.repeat(60)}`, i)),
    }),
  '10 lists of 1,000 numbers': (size = 1) => ({
    or: list(10 * size, (i) => ({ in: { [`f${i}`]: list(1_000, (k) => (k * 7_919) % 10_007) } })),
  }),
  'one list of 11,000 numbers': (size = 1) => ({
    or: list(11 * size, (i) => ({
      in: { f: list(1_000, (k) => ((i * 1_000 + k) * 7_919) % 99_991) },
    })),
  }),
  '10 lists of strings': (size = 1) => ({
    or: list(7 * size, (i) => ({
      in: { [`f${i}`]: list(1_000, (k) => `${(k * 7_919) % 10_007}`) },
    })),
  }),
  '1,300 patterns of one character': (size = 1) => ({
    or: list(1_300 * size, (i) => ({
      regexp: { [`f${i % 500}`]: String.fromCharCode(97 + (i % 26)) },
    })),
  }),
  '500 patterns of 7 characters': (size = 1) => ({
    or: list(500 * size, (i) => ({ regexp: { [`f${i}`]: `[a-z]${String(i).padStart(3, 'x')}` } })),
  }),
  '75 properties': (size = 1) => ({
    or: list(75 * size, (i) => ({ regexp: { a: { value: `\\p{L}${i % 10}`, flags: 'iu' } } })),
  }),
  '4 classes of 1,000 characters': (size = 1) => ({
    or: list(4 * size, (i) => ({
      regexp: {
        a: {
          value: `[${String.fromCodePoint(...list(990, (k) => 0x1_0400 + i + 3 * k)).slice(0, 990)}]`,
          flags: 'iu',
        },
      },
    })),
  }),
  '2,900 points of polygons': (size = 1) => ({
    and: list(3 * size, (i) => ({
      geoPolygon: { [`p${i}`]: { points: list(1_024, (k) => geohash(k + i)) } },
    })),
  }),
  '6,000 points of short polygons': (size = 1) => ({
    or: list(500 * size, (i) => ({
      geoPolygon: { [`p${i}`]: { points: list(12, (k) => [(i + k) % 90, (k * k) % 170]) } },
    })),
  }),
  'fields of many parts': (size = 1) => ({
    and: list(125 * size, (i) => ({ exists: `${i}.`.repeat(120) })),
  }),
  'strings of control characters': (size = 1) => ({
    in: { a: list(20 * size, (i) => `${i}${'\u0001'.repeat(6_000)}`) },
  }),
};

/** A filter of the random search; the same one for the same seed. */
export function randomShape(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  // Sizes spread over orders of magnitude.
  const size = (limit) => Math.max(1, Math.round(limit ** next()));
  const fields = size(600);
  const values = size(1_500);
  const field = () => `f${below(fields)}`;
  const value = () => (next() < 0.1 ? `text-${below(values)}` : below(values));
  const length = size(700);
  const PARTS = [
    'a',
    'bc',
    '.',
    '[a-f]',
    '[^x]',
    '(ab|c)',
    '(?:a|b)',
    '\\d',
    '\\.',
    'x?',
    'y*',
    '(d)+',
    'e{2,3}',
    '^',
    '$',
    '\\b',
    '|',
    'é',
    '(?:f{2}){3}',
  ];
  const pattern = () => list(size(150), () => PARTS[below(PARTS.length)]).join('') || 'a';
  const leaves = [
    () => equals(field(), value()),
    () => ({ in: { [field()]: list(size(length), value) } }),
    () => flag(next() < 0.5, field()),
    () => ({ range: { [field()]: { gt: below(values), lt: values + below(values) + 1 } } }),
    () => ({ regexp: { [field()]: next() < 0.3 ? { value: pattern(), flags: 'i' } : pattern() } }),
    () => ({
      geoPolygon: {
        p: { points: list(3 + size(1_000), () => (next() < 0.5 ? geohash(below(1e6)) : [below(90), next()])) },
      },
    }),
    () => ({
      geoDistance: { p: { lat: below(90), lon: below(180) }, distance: `${below(9_999)} m` },
    }),
  ];
  // A few kinds at a time: pure shapes are the worst ones.
  const kinds = list(1 + below(2), () => leaves[below(next() < 0.6 ? 3 : leaves.length)]);
  const leaf = () => {
    const made = kinds[below(kinds.length)]();
    return next() < negated ? { not: made } : made;
  };
  const negated = next() < 0.5 ? 0 : next();
  let room = size(4_000);
  const build = (depth) => {
    if (depth === 0 || room <= 0) return leaf();
    const parts = [];
    const count = size(Math.min(room, depth > 1 ? 520 : 40));
    for (let i = 0; i < count && (room > 0 || i === 0); i++) {
      room--;
      parts.push(build(depth - 1));
    }
    return { [depth % 2 === parity ? 'and' : 'or']: parts };
  };
  const parity = below(2);
  return build(1 + below(3));
}
