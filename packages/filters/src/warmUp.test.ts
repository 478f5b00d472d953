import { describe, expect, it } from 'vitest';
import { FilterEngine, warmUp } from './index.js';

describe('the warm-up', () => {
  it('goes through filters of every kind, each accepted, and ends', () => {
    const kinds = new Set<string>();
    const register = FilterEngine.prototype.registerInSteps;
    let stepCount = 0;
    try {
      FilterEngine.prototype.registerInSteps = function (index, collection, filter, stepMs) {
        for (const [kind] of JSON.stringify(filter).matchAll(/(?<=")\w+(?=":)/g)) kinds.add(kind);
        return register.call(this, index, collection, filter, stepMs);
      };
      for (const step of warmUp()) {
        expect(step).toBeUndefined();
        stepCount++;
      }
    } finally {
      FilterEngine.prototype.registerInSteps = register;
    }
    expect(stepCount).toBeGreaterThan(100);
    for (const kind of [
      'equals',
      'in',
      'range',
      'exists',
      'missing',
      'not',
      'regexp',
      'bool',
      'ids',
      'geoDistance',
      'geoPolygon',
      'geoBoundingBox',
    ]) {
      // prettier-ignore
      expect(kinds).toContain(kind);
    }
  });
});
