import { describe, expect, it } from 'vitest';
import { murmurHash } from './murmurHash.js';

const MASK = (1n << 64n) - 1n;
const M = 0xc6a4a7935bd1e995n;

/** The hash as its author defined it, with big integers. */
function slowHash(text: string): bigint {
  const bytes = [...text].map((character) => BigInt(character.charCodeAt(0)));
  let hash = 0xadc83b19n ^ ((BigInt(bytes.length) * M) & MASK);
  let at = 0;
  for (; at + 8 <= bytes.length; at += 8) {
    let block = 0n;
    for (let place = 7; place >= 0; place--) block = (block << 8n) | (bytes[at + place] ?? 0n);
    block = (block * M) & MASK;
    block ^= block >> 47n;
    hash = ((hash ^ ((block * M) & MASK)) * M) & MASK;
  }
  if (at < bytes.length) {
    for (let place = bytes.length - 1; place >= at; place--) hash ^= (bytes[place] ?? 0n) << BigInt(8 * (place - at));
    hash = (hash * M) & MASK;
  }
  hash ^= hash >> 47n;
  hash = (hash * M) & MASK;
  return hash ^ (hash >> 47n);
}

describe('murmurHash', () => {
  it('is the hash of the reference on every length and byte', () => {
    for (let length = 0; length < 60; length++) {
      const codes = Array.from({ length }, (_, at) => (at * 89 + length * 57) % 256);
      const text = String.fromCharCode(...codes);
      const [high, low] = murmurHash(text);
      expect((BigInt(high) << 32n) | BigInt(low)).toBe(slowHash(text));
    }
  });
});
