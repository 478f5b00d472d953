import assert from 'node:assert/strict';
import { inspect, isDeepStrictEqual } from 'node:util';

/**
 * Assertions on a value: the subset of Vitest's and Jest's matchers that the suites need, so that they run under any
 * runner.
 */
export interface Expectation {
  toBe(expected: unknown): void;
  /** Same structure; undefined properties are ignored. */
  toEqual(expected: unknown): void;
  /** As `toEqual`, but objects may have additional properties. */
  toMatchObject(expected: object): void;
  toBeNull(): void;
  toContain(part: string): void;
  toMatch(pattern: RegExp): void;
  toHaveLength(length: number): void;
  toBeLessThan(limit: number): void;
  toBeGreaterThanOrEqual(limit: number): void;
}

/** Assertions on the error of a promise. */
export interface PromiseExpectation {
  readonly rejects: { toMatchObject(expected: object): Promise<void> };
}

/** @param what shown if the assertion fails @throws AssertionError, which every runner recognizes */
export function expect(value: unknown, what = ''): Expectation & PromiseExpectation {
  const check = (isTrue: boolean, verb: string, expected: unknown) => {
    if (isTrue) return;
    const message = `${what === '' ? '' : `${what}: `}${show(value)} ${verb} ${show(expected)}`;
    throw new assert.AssertionError({ message, actual: value, expected, operator: verb });
  };
  const size = value as number;
  return {
    toBe: (expected) => check(Object.is(value, expected), 'is not', expected),
    toEqual: (expected) => check(isEqual(value, expected, false), 'does not equal', expected),
    toMatchObject: (expected) => check(isEqual(value, expected, true), 'does not match', expected),
    toBeNull: () => check(value === null, 'is not', null),
    toContain: (part) => check(String(value).includes(part), 'does not contain', part),
    toMatch: (pattern) => check(pattern.test(String(value)), 'does not match', pattern),
    toHaveLength: (length) => check((value as ArrayLike<unknown>).length === length, 'is not of length', length),
    toBeLessThan: (limit) => check(size < limit, 'is not less than', limit),
    toBeGreaterThanOrEqual: (limit) => check(size >= limit, 'is less than', limit),
    rejects: {
      toMatchObject: async (expected) => {
        const outcome = await Promise.resolve(value).then(
          () => assert.fail(`${what}: resolved, expected an error like ${show(expected)}`),
          (error: unknown) => error,
        );
        expect(outcome, what).toMatchObject(expected);
      },
    },
  };
}

function isEqual(actual: unknown, expected: unknown, isPartial: boolean): boolean {
  if (typeof actual !== 'object' || typeof expected !== 'object') return Object.is(actual, expected);
  if (actual === null || expected === null) return actual === expected;
  if (Array.isArray(actual) !== Array.isArray(expected)) return false;
  if (Array.isArray(actual) && Array.isArray(expected) && actual.length !== expected.length) return false;
  if (ArrayBuffer.isView(actual) || actual instanceof Map || actual instanceof Set)
    return isDeepStrictEqual(actual, expected);
  const wanted = isPartial ? definedKeys(expected) : new Set([...definedKeys(expected), ...definedKeys(actual)]);
  for (const key of wanted) {
    const [left, right] = [actual, expected].map((each) => (each as Record<string, unknown>)[key]);
    if (!isEqual(left, right, isPartial)) return false;
  }
  return true;
}

function definedKeys(value: object): readonly string[] {
  return Object.entries(value).flatMap(([key, each]) => (each === undefined ? [] : [key]));
}

function show(value: unknown): string {
  return inspect(value, { depth: 6, breakLength: 100, maxStringLength: 500, maxArrayLength: 50 });
}
