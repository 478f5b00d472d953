import { describe, expect, it } from 'vitest';
import type { JsonValue } from './Json.js';
import { hasInfinity } from './hasInfinity.js';

const check = (text: string): boolean => hasInfinity(text, JSON.parse(text) as JsonValue);

describe('hasInfinity', () => {
  it.each(['1e400', '{"a":[-1E+999]}', `{"a":{"b":${'9'.repeat(400)}}}`])('is true for %s', (text) => {
    expect(check(text)).toBe(true);
  });

  it.each(['1e308', '"1e400"', '{"1e400":1}', '1e-400', `"${'9'.repeat(400)}"`, '[1,null]'])(
    'is false for %s',
    (text) => {
      expect(check(text)).toBe(false);
    },
  );
});
