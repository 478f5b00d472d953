import { describe, expect, it } from 'vitest';
import { weighJson } from './weighJson.js';

const nested = (levels: number) => Buffer.from(`${'['.repeat(levels)}1${']'.repeat(levels)}`);

const isDeeperThan = (bytes: Buffer, maxDepth: number) => weighJson(bytes, maxDepth) < 0;

describe('weighJson', () => {
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

  it.each([
    ['objects', '{}', 21],
    ['arrays', '[]', 14],
    ['members', '{"a":1}', 3],
  ])('estimates the memory of many %s within a factor of two', (_, item, factor) => {
    const text = Buffer.from(`[${Array(50_000).fill(item).join(',')}]`);
    const weight = weighJson(text, 200);
    expect(weight).toBeGreaterThan((text.length * factor) / 2);
    expect(weight).toBeLessThan(text.length * factor * 3);
  });

  it('weighs long strings by their bytes, whatever they contain', () => {
    const text = Buffer.from(JSON.stringify(['{[,'.repeat(1_000)]));
    expect(weighJson(text, 200)).toBe(text.length + 32);
  });
});
