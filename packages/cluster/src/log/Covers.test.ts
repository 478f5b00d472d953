import { describe, expect, it } from 'vitest';
import { Covers } from './Covers.js';

const MAX_AGE_MS = 60_000;
const KEY = 'shop/things';

/** The covers of two nodes that exchange what they store in Redis. */
function openTwo() {
  const [one, other] = [new Covers(MAX_AGE_MS), new Covers(MAX_AGE_MS)];
  const exchange = (nowMs: number) => other.decode(KEY, one.encode(KEY, nowMs));
  return { one, other, exchange };
}

describe('the recorded collections of a node (LOG-4)', () => {
  it('are recorded before their position is known, and keep it once it is', () => {
    const covers = new Covers(MAX_AGE_MS);
    expect(covers.add(KEY, 0)).toBe(false);
    expect([covers.has(KEY), covers.sinceOf(KEY)]).toEqual([true, undefined]);
    covers.setSince(KEY, '5-0', 0);
    expect(covers.add(KEY, 10)).toBe(true);
    expect(covers.sinceOf(KEY)).toBe('5-0');
  });

  it('end after the maximum age and a margin for other clocks, unless they have a subscription', () => {
    const covers = new Covers(MAX_AGE_MS);
    covers.add(KEY, 0);
    covers.add('shop/followed', 0);
    covers.held.add('shop/followed');
    const endMs = MAX_AGE_MS + 4 * covers.refreshMs;
    expect(covers.expire(endMs)).toEqual([]);
    expect(covers.expire(endMs + 1)).toEqual([KEY]);
    expect([...covers.keys()]).toEqual(['shop/followed']);
  });

  it('are prolonged by what another node stores, and never shortened', () => {
    const { one, other, exchange } = openTwo();
    one.add(KEY, 0);
    one.setSince(KEY, '5-0', 0);
    exchange(0);
    expect(other.sinceOf(KEY)).toBe('5-0');
    exchange(30_000);
    exchange(10_000);
    const endMs = 30_000 + MAX_AGE_MS + 4 * other.refreshMs;
    expect(other.expire(endMs)).toEqual([]);
    expect(other.expire(endMs + 1)).toEqual([KEY]);
  });

  it('are stored beyond the next exchange while they have a subscription', () => {
    const covers = new Covers(MAX_AGE_MS);
    covers.setSince(KEY, '5-0', 0);
    expect(covers.encode(KEY, 1_000)).toBe(`${1_000 + MAX_AGE_MS} 5-0`);
    covers.held.add(KEY);
    expect(covers.encode(KEY, 1_000)).toBe(`${1_000 + MAX_AGE_MS + covers.refreshMs} 5-0`);
  });

  it('keep their own position when another node stores a later one or none', () => {
    const { one, other, exchange } = openTwo();
    one.add(KEY, 0);
    other.setSince(KEY, '5-0', 0);
    exchange(0);
    one.setSince(KEY, '9-0', 0);
    exchange(0);
    expect(other.sinceOf(KEY)).toBe('5-0');
  });

  it.each(['x 5-0', 'Infinity 5-0', '1000 5', '1000 5-0-0', '1000 x-y'])('ignore the malformed value %j', (value) => {
    const covers = new Covers(MAX_AGE_MS);
    covers.decode(KEY, value);
    expect(covers.isEmpty).toBe(true);
  });

  it('are complete from the beginning of another log', () => {
    const covers = new Covers(MAX_AGE_MS);
    covers.add(KEY, 0);
    covers.setSince('shop/others', '5-0', 0);
    covers.restart();
    expect([covers.sinceOf(KEY), covers.sinceOf('shop/others')]).toEqual(['0-0', '0-0']);
  });
});
