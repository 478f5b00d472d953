import { describe, expect, it } from 'vitest';
import { isDeeperThan } from './isDeeperThan.js';

const nested = (levels: number) => Buffer.from(`${'['.repeat(levels)}1${']'.repeat(levels)}`);

describe('isDeeperThan', () => {
  it('counts every level of arrays and objects', () => {
    expect(isDeeperThan(nested(200), 200)).toBe(false);
    expect(isDeeperThan(nested(201), 200)).toBe(true);
    const objects = Buffer.from(`${'{"a":'.repeat(4)}1${'}'.repeat(4)}`);
    expect([isDeeperThan(objects, 4), isDeeperThan(objects, 3)]).toEqual([false, true]);
  });

  it('does not count brackets inside strings, escaped quotes included', () => {
    const text = JSON.stringify({ a: '[[[['.repeat(9), 'b"[{[{': '\\"[[[\\', c: '"]' });
    expect(isDeeperThan(Buffer.from(text), 1)).toBe(false);
  });

  it('does not add up siblings', () => {
    expect(isDeeperThan(Buffer.from(`[${'[],'.repeat(1_000)}[]]`), 2)).toBe(false);
  });

  it('reads text that ends inside a string, or after a backslash', () => {
    expect(isDeeperThan(Buffer.from('["aaaa[[['), 2)).toBe(false);
    expect(isDeeperThan(Buffer.from('["aaaaaa\\'), 2)).toBe(false);
  });
});
