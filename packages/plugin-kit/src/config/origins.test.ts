import { describe, expect, it } from 'vitest';
import { parseOrigins } from './origins.js';

describe('parseOrigins', () => {
  it.each([
    ['*', '*'],
    ['https://a.example, *', '*'],
    ['https://A.example,http://b.example:8080', ['https://a.example', 'http://b.example:8080']],
    [
      ['https://a.example', 'null'],
      ['https://a.example', 'null'],
    ],
    ['', []],
  ])('reads %j', (value, origins) => {
    expect(parseOrigins(value)).toEqual(origins);
  });

  it.each([['a.example'], ['https://a.example/path'], [7], [[7]], [null], [{}]])('refuses %j', (value) => {
    expect(parseOrigins(value)).toBeUndefined();
  });
});
