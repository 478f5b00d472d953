import { describe, expect as claim, it } from 'vitest';
import { expect } from './expect.js';

describe('the expect of the suites', () => {
  it.each<[string, () => void]>([
    ['toBe', () => expect(NaN).toBe(NaN)],
    ['toEqual', () => expect({ a: [1, { b: undefined }] }).toEqual({ a: [1, {}] })],
    ['toEqual of maps', () => expect(new Map([[1, 2]])).toEqual(new Map([[1, 2]]))],
    ['toMatchObject', () => expect({ a: { b: 1, c: 2 }, d: 3 }).toMatchObject({ a: { b: 1 } })],
    ['toMatchObject of an error', () => expect(new RangeError('x')).toMatchObject({ message: 'x' })],
    ['toBeNull', () => expect(null).toBeNull()],
    ['toContain', () => expect('abc').toContain('b')],
    ['toMatch', () => expect('abc').toMatch(/^a/)],
    ['toHaveLength', () => expect([1, 2]).toHaveLength(2)],
    ['toBeLessThan', () => expect(1).toBeLessThan(2)],
    ['toBeGreaterThanOrEqual', () => expect(2).toBeGreaterThanOrEqual(2)],
  ])('%s holds where it is so', (_, assertion) => {
    claim(assertion).not.toThrow();
  });

  it.each<[string, () => void]>([
    ['toBe', () => expect(0).toBe(-0)],
    ['toEqual: a value', () => expect({ a: [1, { b: 1 }] }).toEqual({ a: [1, { b: 2 }] })],
    ['toEqual: one property more', () => expect({ a: 1, b: 2 }).toEqual({ a: 1 })],
    ['toEqual: one property less', () => expect({ a: 1 }).toEqual({ a: 1, b: 2 })],
    ['toEqual: the order', () => expect([1, 2]).toEqual([2, 1])],
    ['toEqual: a longer list', () => expect([1, 2]).toEqual([1])],
    ['toEqual: a list for an object', () => expect([1]).toEqual({ 0: 1 })],
    ['toEqual: null for an object', () => expect({ a: null }).toEqual({ a: {} })],
    ['toEqual: a string for a number', () => expect(1).toEqual('1')],
    ['toMatchObject: a value', () => expect({ a: { b: 1 } }).toMatchObject({ a: { b: 2 } })],
    ['toMatchObject: a missing one', () => expect({}).toMatchObject({ a: 1 })],
    ['toBeNull', () => expect(undefined).toBeNull()],
    ['toContain', () => expect('abc').toContain('d')],
    ['toMatch', () => expect('abc').toMatch(/^b/)],
    ['toHaveLength', () => expect([1]).toHaveLength(2)],
    ['toBeLessThan', () => expect(2).toBeLessThan(2)],
    ['toBeGreaterThanOrEqual', () => expect(NaN).toBeGreaterThanOrEqual(2)],
  ])('%s fails where it is not, and says what was there', (_, assertion) => {
    claim(assertion).toThrow(/(is|does) |of length/);
  });

  it('waits for a rejection, and fails without one', async () => {
    await expect(Promise.reject(new Error('x'))).rejects.toMatchObject({ message: 'x' });
    const kept = expect(Promise.resolve(1)).rejects.toMatchObject({ message: 'x' });
    await claim(kept).rejects.toThrow(/resolved, expected an error/);
    const other = expect(Promise.reject(new Error('y'))).rejects.toMatchObject({ message: 'x' });
    await claim(other).rejects.toThrow(/does not match/);
  });
});
