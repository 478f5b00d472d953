import { describe, expect, it } from 'vitest';
import { formatApiKey, isApiKey, newApiKeyId, newApiKeySecret, parseApiKey } from './parseApiKey.js';

const parts = () => ({ id: newApiKeyId(), secret: newApiKeySecret() });

describe('the form of API keys (KEY-1)', () => {
  it('has a prefix, an id, a secret and a checksum, each of base 62', () => {
    for (let i = 0; i < 200; i++) {
      const made = parts();
      const key = formatApiKey(made);
      expect(key).toMatch(/^mr_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
      expect(isApiKey(key)).toBe(true);
      expect(parseApiKey(key)).toEqual(made);
    }
  });

  it('uses every character about equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 2_000; i++) {
      for (const character of newApiKeySecret()) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    // 1,032 of each are expected, with a standard deviation of 32.
    for (const count of counts.values()) expect(Math.abs(count - 1_032)).toBeLessThan(300);
  });

  it('reveals each change of one character, and every other form', () => {
    const key = formatApiKey(parts());
    for (let at = 3; at < key.length; at++) {
      for (const character of 'aZ0_') {
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        if (changed !== key) expect([changed, parseApiKey(changed)]).toEqual([changed, null]);
      }
    }
    for (const other of ['', 'mr_', `${key} `, key.slice(1), `${key}0`, key.toUpperCase()]) {
      expect(parseApiKey(other)).toBeNull();
    }
  });
});
