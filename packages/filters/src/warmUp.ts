/*
 * Runs the code that takes filters in until it is compiled: a large filter costs ten times as much in a process that has
 * never seen one. Filters of every kind are registered with engines of their own, in steps, tested and removed, small ones
 * first, so that no step takes more than a few milliseconds even while the code is cold.
 */
import { FilterEngine } from './engine/FilterEngine.js';
import type { JsonObject } from './Json.js';

/** Sizes of the filters; the code of large ones is compiled after some repetitions. */
const SIZES = [1, 2, 4, 8, 16, 24, 32, 48, 64, 64, 64, 64, 64, 96, 96, 96, 128, 128, 128, 128];

const STEP_MS = 1;

type Make = (size: number) => JsonObject;

const list = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i)); // prettier-ignore

const leaf = (i: number): JsonObject => {
  switch (i % 6) {
    case 0:
      return { equals: { [`a${i % 40}`]: i } };
    case 1:
      return { in: { [`b${i % 30}`]: [i, `text ${i}`, i + 1, true] } };
    case 2:
      return { range: { [`c${i}`]: { gte: i, lt: i + 5 } } };
    case 3:
      return { exists: `d${i}` };
    case 4:
      return { not: { equals: { [`a${i % 40}`]: `${i}` } } };
    default:
      return { geoDistance: { place: { lat: i % 90, lon: i % 180 }, distance: `${i} km` } };
  }
};

const MAKERS: readonly Make[] = [
  (size) => ({
    or: list((size + 1) >> 1, (i) => ({
      and: [leaf(i), leaf(i + 1), { missing: `e${i % 9}` }],
    })),
  }),
  (size) => ({ and: list(2 * size, (i) => ({ equals: { [`f${i}`]: `value ${i}` } })) }),
  (size) => ({ or: list(2 * size, (i) => ({ equals: { f: i % (size + 1) } })) }),
  (size) => ({
    or: list(4, (i) => ({ in: { g: list(size, (k) => `value ${(k * 7) % size} ${i}`) } })),
  }),
  (size) => ({
    or: list(size, (i) => ({
      and: ['s', 't'].map((field, j) => ({ in: { [field]: [i % 7, (i * (j + 2)) % 11, i % 5] } })),
    })),
  }),
  (size) => ({
    or: list((size + 1) >> 1, (i) => ({
      and: list(6, (k) => ((i >> k) & 1 ? { exists: `h${k}` } : { missing: `h${k}` })),
    })),
  }),
  (size) => ({
    and: list(Math.min(7, (size + 1) >> 1), (i) => ({
      or: [leaf(6 * i), { equals: { [`i${i}`]: i } }],
    })),
  }),
  (size) => ({
    or: list((size + 1) >> 1, (i) => ({
      regexp: {
        j: {
          value: `^(ab|c[d-f]+){1,3}x? ${i}(?:\\d|\\.)*word${i}`,
          flags: i % 4 === 0 ? 'i' : '',
        },
      },
    })),
  }),
  (size) => ({
    and: [
      { geoPolygon: { place: { points: list(size + 3, (i) => [i % 80, (i * i) % 170]) } } },
      {
        geoPolygon: {
          place: {
            points: list(
              size + 3,
              (i) => `u0${(1_000_000 + i * 7_919).toString(32).replace(/[ailo]/g, 'z')}`,
            ),
          },
        },
      },
      { geoBoundingBox: { place: { top: 9, left: 0, bottom: 1, right: size } } },
    ],
  }),
  (size) => ({
    bool: {
      must: list(size, (i) => ({ term: { [`k${i}`]: { value: i, boost: 1 } } })),
      must_not: list(size, (i) => ({ terms: { [`l${i}`]: [i, i + 1] } })),
      should: [
        { ids: { values: list(size, (i) => `id ${i}`) } },
        { not: { exists: { field: 'm' } } },
      ],
    },
  }),
];

const DOCUMENT: JsonObject = { a0: 0, b1: 1, c2: 3, f: 1, g: 'value 7 1', s: 1, t: 2, h0: 1, j: 'abx 0word0', place: [5, 5] }; // prettier-ignore

/**
 * Compiles what takes filters in, some milliseconds with each step. Run it in the background, a step per turn
 * of the event loop, once a server listens; it holds nothing, and may be left at any step.
 */
export function* warmUp(): Generator<undefined, void> {
  for (const size of SIZES) {
    for (const make of MAKERS) {
      const filter = make(size);
      const engine = new FilterEngine();
      const { id } = yield* engine.registerInSteps('warm', 'up', filter, STEP_MS);
      engine.test('warm', 'up', DOCUMENT);
      engine.remove(id);
      yield;
    }
  }
}
