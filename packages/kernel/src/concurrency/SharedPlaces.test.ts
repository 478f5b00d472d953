import { describe, expect, it } from 'vitest';
import { SharedPlaces } from './SharedPlaces.js';

describe('SharedPlaces', () => {
  it('takes the oldest entry of the owner with the most', () => {
    const places = new SharedPlaces<string>(4);
    expect(places.add('v1', 'victim')).toBeUndefined();
    for (const entry of ['a1', 'a2', 'a3']) expect(places.add(entry, 'attacker')).toBeUndefined();
    expect(places.add('a4', 'attacker')).toBe('a1');
    expect(places.add('v2', 'victim')).toBe('a2');
    expect(places.size).toBe(4);
  });

  it('forgets deleted entries, and moves an entry that is added again', () => {
    const places = new SharedPlaces<string>(2);
    places.add('a', 'one');
    places.add('b', 'one');
    places.delete('a');
    places.delete('absent');
    expect(places.size).toBe(1);
    expect(places.add('a', 'one')).toBeUndefined();
    expect(places.add('b', 'one')).toBeUndefined();
    expect(places.add('c', 'one')).toBe('a');
    places.clear();
    expect([places.size, places.add('d', 'two')]).toEqual([0, undefined]);
  });
});
