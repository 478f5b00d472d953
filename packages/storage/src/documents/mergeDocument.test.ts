import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@millrace/kernel';
import { isEqualJson } from '../isEqualJson.js';
import { mergeDocument } from './mergeDocument.js';

const parse = (text: string) => JSON.parse(text) as JsonObject;

describe('mergeDocument (DOC-13)', () => {
  it('merges objects deeply, replaces arrays and scalars, stores null', () => {
    const base = { o: { x: 1, y: { z: 2, w: 3 } }, list: [1, 2, 3], s: 'old', gone: 5 };
    const changes = { o: { y: { z: 9 }, n: 4 }, list: [7], s: 'new', gone: null };
    expect(mergeDocument(base, changes)).toEqual({
      o: { x: 1, y: { z: 9, w: 3 }, n: 4 },
      list: [7],
      s: 'new',
      gone: null,
    });
    expect(base.o.y.z).toBe(2);
  });

  it('lets an object take the place of a scalar, an array or null, and the other way round', () => {
    const base = { a: 1, b: [1], c: null, d: { x: 1 }, e: { x: 1 } };
    const changes = { a: { y: 1 }, b: { y: 1 }, c: { y: 1 }, d: 1, e: [1] };
    expect(mergeDocument(base, changes)).toEqual(changes);
  });

  it('gives back the base itself when nothing changes', () => {
    const base = parse('{"o":{"x":[1,{"a":null}]},"s":"t","n":0}');
    for (const same of ['{}', '{"o":{}}', '{"o":{"x":[1,{"a":null}]}}', '{"n":0,"s":"t"}']) {
      expect(mergeDocument(base, parse(same))).toBe(base);
    }
    expect(mergeDocument(base, { absent: null })).not.toBe(base);
  });

  it('takes __proto__, constructor and prototype for plain data', () => {
    const merged = mergeDocument(
      parse('{"o":{"__proto__":{"a":1}}}'),
      parse('{"o":{"__proto__":{"polluted":"yes"}},"constructor":{"prototype":{"polluted":"yes"}}}'),
    );
    expect(JSON.stringify(merged)).toBe(
      '{"o":{"__proto__":{"a":1,"polluted":"yes"}},"constructor":{"prototype":{"polluted":"yes"}}}',
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('agrees with a naive merge of maps on random documents', () => {
    const keys = fc.constantFrom('a', 'b', 'c', '__proto__', 'toString');
    const { document } = fc.letrec<{ document: JsonObject; value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, 0, 1, 'x'),
        fc.array(tie('value'), { maxLength: 2 }),
        tie('document'),
      ),
      document: fc
        .array(fc.tuple(keys, tie('value')), { maxLength: 4 })
        .map((entries) => Object.fromEntries<JsonValue>(entries)),
    }));
    fc.assert(
      fc.property(document, document, (base, changes) => {
        const before = JSON.stringify([base, changes]);
        const merged = mergeDocument(base, changes);
        expect(canonical(merged)).toBe(canonical(naive(base, changes)));
        expect(merged === base).toBe(canonical(merged) === canonical(base));
        expect(isEqualJson(merged, base)).toBe(merged === base);
        expect(JSON.stringify([base, changes])).toBe(before);
      }),
      { numRuns: 500, seed: 7 },
    );
  });
});

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Built from map entries, so that no key is special. */
function naive(base: JsonObject, changes: JsonObject): JsonObject {
  const entries = new Map<string, JsonValue>(Object.entries(base));
  for (const [key, change] of Object.entries(changes)) {
    const old = entries.get(key);
    entries.set(key, isObject(old) && isObject(change) ? naive(old, change) : change);
  }
  return Object.fromEntries(entries);
}

function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((each: JsonValue) => canonical(each)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${key}:${canonical(value[key] as JsonValue)}`).join()}}`;
}
