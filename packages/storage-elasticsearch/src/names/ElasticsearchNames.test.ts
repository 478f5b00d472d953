import { describe, expect, it } from 'vitest';
import { decodeName, encodeName, ElasticsearchNames } from './ElasticsearchNames.js';

const names = new ElasticsearchNames('millrace');

describe('names in Elasticsearch', () => {
  it('come back as they were, whatever they hold', () => {
    for (const name of ['a', 'A', 'aB-c_d.E', '%millrace', 'Zoë', '漢', '~x', '0~0', 'a~.b', '~~1']) {
      expect(decodeName(encodeName(name))).toBe(name);
      expect(encodeName(name)).toMatch(/^[a-z0-9\-_.~]+$/);
    }
  });

  it('keep names apart that differ in case or in where the index ends', () => {
    const aliases = [
      { index: 'a', collection: 'b' },
      { index: 'a', collection: 'B' },
      { index: 'a.b', collection: 'c' },
      { index: 'a', collection: 'b.c' },
      { index: 'a~.b', collection: 'c' },
      { index: 'a', collection: '.b' },
      { index: 'a.', collection: 'b' },
    ].map((name) => names.alias(name));
    expect(new Set(aliases).size).toBe(aliases.length);
  });

  it('tell the collection, also from the name of a generation', () => {
    const name = { index: '%system', collection: 'Users' };
    expect(names.decode(names.alias(name))).toEqual(name);
    expect(names.decode(names.generation(name, 12))).toEqual(name);
    expect(names.generationNumber(names.generation(name, 12))).toBe(12);
    expect(names.decode(names.catalog)).toBeUndefined();
    expect(names.decode('other~a~.b')).toBeUndefined();
  });

  it('stay within 255 bytes at their longest', () => {
    const longest = new ElasticsearchNames('a'.repeat(32));
    const name = { index: 'i'.repeat(64), collection: 'C'.repeat(64) };
    expect(longest.generation(name, 1_000_000).length).toBeLessThanOrEqual(255);
    expect(() => longest.alias({ index: 'i'.repeat(64), collection: '漢'.repeat(64) })).toThrow(
      expect.objectContaining({ id: 'storage.invalid_name' }) as Error,
    );
  });

  it('vanish from the messages of Elasticsearch', () => {
    const physical = names.generation({ index: 'lib', collection: 'Books' }, 1);
    expect(names.conceal(`no such index [${physical}] and [${physical}]`)).toBe(
      'no such index [lib/Books] and [lib/Books]',
    );
  });
});
