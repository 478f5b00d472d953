import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { IdGenerator } from './IdGenerator.js';

function generator(time: { nowMs: number }, random = (count: number): Uint8Array => randomBytes(count)) {
  return new IdGenerator({ nowMs: () => time.nowMs, monotonicMs: () => 0 }, random);
}

describe('IdGenerator (DOC-3)', () => {
  it('makes distinct ids of 20 URL-safe characters', () => {
    const ids = generator({ nowMs: 1_700_000_000_000 });
    const made = Array.from({ length: 2_000 }, () => ids.next());
    expect(new Set(made).size).toBe(2_000);
    for (const id of made) expect(id).toMatch(/^[A-Za-z0-9_-]{20}$/);
  });

  it('makes ids that sort by time as strings', () => {
    const time = { nowMs: 0 };
    const ids = generator(time);
    const times = [0, 1, 63, 64, 4_095, 1_000_000_000_000, 1_700_000_000_000, 1_700_000_000_001, 2 ** 42 - 1];
    const made = times.map((nowMs) => {
      time.nowMs = nowMs;
      return ids.next();
    });
    expect([...made].sort()).toEqual(made);
  });

  it('makes ids that never begin with an underscore, as ids of users must not', () => {
    const time = { nowMs: 0 };
    const ids = generator(time);
    const first = Array.from({ length: 64 }, (_, n) => {
      time.nowMs = n * 64 ** 6;
      return ids.next().charAt(0);
    });
    expect(first).not.toContain('_');
    expect(new Set(first).size).toBe(64);
  });

  it('takes every random bit it asks for: 13 bytes an id', () => {
    let asked = 0;
    const ids = generator({ nowMs: 5 }, (count) => {
      const bytes = Uint8Array.from({ length: count }, (_, i) => Math.floor((asked + i) / 13));
      asked += count;
      return bytes;
    });
    expect([ids.next(), ids.next()]).toEqual(['------4-------------', '------40000000000000']);
  });
});
