import { describe, expect, it } from 'vitest';
import { dateKeyWriter } from './dateFormatOf.js';

const JANUARY = Date.UTC(2024, 0, 1);
const HOUR_MS = 3_600_000;

describe('dateKeyWriter', () => {
  it('writes keys in the format and the time zone of the source', () => {
    const write = dateKeyWriter({ format: 'yyyy-MM-dd', timeZone: '+02:00', path: 'a' });
    expect(write?.(JANUARY - 2 * HOUR_MS)).toBe('2024-01-01');
  });

  it('refuses a key that its own text does not lead back to', () => {
    const write = dateKeyWriter({ format: 'yyyy-MM-dd', path: 'a.day' });
    expect(() => write?.(JANUARY + 6 * HOUR_MS)).toThrow(
      'Format yyyy-MM-dd at a.day writes 2024-01-01T06:00:00.000Z as "2024-01-01"',
    );
  });

  it('has nothing to write where no format is asked for', () => {
    expect(dateKeyWriter({ path: 'a' })).toBeUndefined();
  });
});
