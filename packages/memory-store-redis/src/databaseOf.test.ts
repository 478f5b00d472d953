import { describe, expect, it } from 'vitest';
import { databaseOf, isSameDatabase } from './databaseOf.js';

const at = (url: string, database = 5) => ({ url, database });

describe('databaseOf', () => {
  it('takes the database of the address before the configured one', () => {
    expect(databaseOf(at('redis://h:1/7'))).toBe(7);
    expect(databaseOf(at('redis://h:1'))).toBe(5);
    expect(databaseOf(at('redis://h:1/'))).toBe(5);
  });

  it('knows the same database under other names (MEM-60)', () => {
    expect(isSameDatabase(at('redis://localhost', 0), at('redis://127.0.0.1:6379/0'))).toBe(true);
    expect(isSameDatabase(at('redis://user:pw@HOST:6379', 3), at('redis://host/3'))).toBe(true);
    expect(isSameDatabase(at('redis://h', 5), at('redis://h', 0))).toBe(false);
    expect(isSameDatabase(at('redis://h:6379'), at('redis://h:6380'))).toBe(false);
  });
});
