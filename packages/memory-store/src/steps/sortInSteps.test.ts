import { describe, expect, it } from 'vitest';
import { runToEnd } from './Steps.js';
import { sortInSteps } from './sortInSteps.js';

describe('sortInSteps', () => {
  it.each([0, 1, 2_047, 2_048, 2_049, 10_000, 33_333])(
    'sorts %i items as Array.sort does, equal ones in their order',
    (count) => {
      const items = Array.from({ length: count }, (_, at) => ({ at, weight: (at * 7919) % 101 }));
      const compare = (left: { weight: number }, right: { weight: number }) => left.weight - right.weight;
      expect(runToEnd(sortInSteps(items, compare))).toEqual([...items].sort(compare));
    },
  );
});
