import { describe, expect, it } from 'vitest';
import { FilterEngine } from './index.js';

describe('the example of the README', () => {
  it('does what its comments say', () => {
    const engine = new FilterEngine();
    const adults = {
      and: [{ equals: { 'info.city': 'Lyon' } }, { range: { age: { gte: 18 } } }],
    };
    const { id, created } = engine.register('people', 'visitors', adults);
    const near = { geoDistance: { place: [45.76, 4.84], distance: '5 km' } };
    engine.register('people', 'visitors', near);
    expect(created).toBe(true);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    const document = { info: { city: 'Lyon' }, age: 20 };
    expect(engine.test('people', 'visitors', document)).toEqual([id]);
    expect(engine.testChange('people', 'visitors', { age: 20 }, document)).toEqual({
      entered: [id],
      stayed: [],
      left: [],
    });
    expect(engine.remove(id)).toBe(true);
  });
});
