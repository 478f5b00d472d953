import { describe, expect, it } from 'vitest';
import { findNear } from './findNear.js';

const found = (parts: readonly (readonly number[])[], slop: number, isInOrder: boolean) => {
  const matches: (readonly number[])[] = [];
  findNear(parts, slop, isInOrder, (chosen) =>
    matches.push(chosen.map((at, part) => parts[part]?.[at] as number)),
  );
  return matches;
};

describe('findNear', () => {
  it('finds in order what stands nearest behind', () => {
    const parts = [
      [0, 4, 10],
      [1, 5, 7],
      [2, 8],
    ];
    expect(found(parts, 0, true)).toEqual([[0, 1, 2]]);
    expect(found(parts, 2, true)).toEqual([
      [0, 1, 2],
      [4, 5, 8],
    ]);
  });

  it('counts in any order the places between, whatever has changed places', () => {
    expect(found([[3], [1]], 1, false)).toEqual([[3, 1]]);
    expect(found([[3], [1]], 0, false)).toEqual([]);
    expect(found([[2], [1]], 0, false)).toEqual([[2, 1]]);
  });

  it('lets a token stand for each place that wants it in any order, and for one in order', () => {
    expect(found([[1], [1]], 0, false)).toEqual([[1, 1]]);
    expect(found([[1], [1]], 9, true)).toEqual([]);
  });

  it('finds nothing where a part is missing', () => {
    expect(found([[1, 2], []], 5, false)).toEqual([]);
    expect(found([[1, 2], []], 5, true)).toEqual([]);
  });
});
