import { describe, expect, it } from 'vitest';
import { arcDistance, BUILT_IN_ANALYZERS, compileDateFormat, wordsOf } from './index.js';

describe('the example of the README', () => {
  it('does what its comments say', () => {
    const english = BUILT_IN_ANALYZERS.get('english');
    expect(english && wordsOf(english, 'The quick foxes').terms).toEqual(['quick', 'fox']);
    const format = compileDateFormat('dd/MM/yyyy', (message) => new Error(message));
    expect(format.parse('10/02/2024')).toBe(1_707_523_200_000);
    expect(arcDistance(48.8566, 2.3522, 51.5074, -0.1278)).toBeCloseTo(343_556.5, 1);
  });
});
