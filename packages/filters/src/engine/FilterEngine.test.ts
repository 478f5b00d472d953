import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/language';
import { FilterError } from '../FilterError.js';
import { FilterEngine } from './FilterEngine.js';

function engineOf(...filters: readonly unknown[]): {
  readonly engine: FilterEngine;
  /** Indexes in `filters` of those that match. */
  readonly matches: (document: JsonObject, id?: string) => number[];
} {
  const engine = new FilterEngine();
  const ids = filters.map((filter) => engine.register('i', 'c', filter).id);
  return {
    engine,
    matches: (document, id) =>
      engine
        .test('i', 'c', document, id)
        .map((each) => ids.indexOf(each))
        .sort((a, b) => a - b),
  };
}

const parse = (text: string) => JSON.parse(text) as JsonObject;

describe('the filter engine', () => {
  it('gives equal filters one identifier, and tells whether they were there', () => {
    const engine = new FilterEngine();
    const first = engine.register('i', 'c', { and: [{ equals: { a: 1 } }, { exists: 'b' }] });
    const again = engine.register('i', 'c', {
      bool: { must: [{ exists: 'b' }, { term: { a: 1 } }] },
    });
    expect(first.created).toBe(true);
    expect(first.id).toMatch(/^[0-9a-f]{32}$/);
    expect(again).toEqual({ id: first.id, created: false });
    expect(engine.register('i', 'd', { equals: { a: 1 } }).created).toBe(true);
    expect(engine.measure().filterCount).toBe(2);
    expect(engine.remove(first.id)).toBe(true);
    expect(engine.remove(first.id)).toBe(false);
    expect(engine.test('i', 'c', { a: 1, b: 1 })).toEqual([]);
  });

  it('keeps collections apart, whatever their names are', () => {
    const engine = new FilterEngine();
    const names = ['__proto__', 'constructor', 'a', ''];
    const ids = names.map((name) => engine.register(name, name, { exists: 'x' }).id);
    names.forEach((name, i) => expect(engine.test(name, name, { x: 1 })).toEqual([ids[i]]));
    expect(engine.test('a', 'constructor', { x: 1 })).toEqual([]);
  });

  it('holds nothing of a filter that it refuses', () => {
    const engine = new FilterEngine();
    expect(() => engine.register('i', 'c', { equals: { a: null } })).toThrow(FilterError);
    expect(() => engine.register('i', 'c', { foo: {} })).toThrow('unknown operator "foo"');
    expect(engine.measure()).toMatchObject({ filterCount: 0, collectionCount: 0, fieldCount: 0 });
    const { id } = engine.register('i', 'c', { ids: { values: ['x'] } });
    expect(engine.register('i', 'c', { equals: { _id: 'x' } }).id).toBe(id);
  });

  it('bounds what the searches for all patterns cost per document, and reports it', () => {
    const patterns = Array.from({ length: 24 }, (_, i) => `(a|b)*a(a|b){${40 + i}}[cz]`);
    const others = [{ equals: { n: 1 } }, { regexp: { s: 'x' } }];
    const filters = [...patterns.map((t) => ({ regexp: { t } })), ...others];
    const open = (maxSteps?: number) => {
      const engine = new FilterEngine(undefined, maxSteps);
      const ids = filters.map((filter) => engine.register('i', 'c', filter).id);
      return { engine, ids };
    };
    let seed = 7;
    const next = () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) >>> 16;
    const text = `${Array.from({ length: 1_000 }, () => 'ab'.charAt(next() & 1)).join('')}a${'b'.repeat(60)}c`;
    const document = { t: text, n: 1, s: 'x' };
    const { engine: bounded, ids } = open(100_000);
    const found = bounded.test('i', 'c', document);
    expect(bounded.isIncomplete).toBe(true);
    expect(found).toContain(ids[24]);
    expect(found.length).toBeLessThan(ids.length);
    expect(bounded.test('i', 'c', { n: 1, s: 'x' }).sort()).toEqual([ids[24], ids[25]].sort());
    expect(bounded.isIncomplete).toBe(false);
    bounded.testChange('i', 'c', document, { n: 1 });
    expect(bounded.isIncomplete).toBe(true);
    const { engine } = open();
    expect(engine.test('i', 'c', document)).toEqual(expect.arrayContaining(found));
    expect(engine.isIncomplete).toBe(false);
  });

  it('matches everything with the empty filter and nothing with `nothing`', () => {
    const { matches, engine } = engineOf({}, { nothing: {} });
    expect(matches({})).toEqual([0]);
    expect(engine.measure().filterCount).toBe(2);
  });

  it('tells which filters a change enters, stays in and leaves', () => {
    const { engine } = engineOf({ equals: { a: 1 } }, { exists: 'b' }, { not: { equals: { a: 1 } } });
    const [one, b, notOne] = [{ equals: { a: 1 } }, { exists: 'b' }, { not: { equals: { a: 1 } } }].map(
      (filter) => engine.register('i', 'c', filter).id,
    );
    expect(engine.testChange('i', 'c', { a: 1, b: 1 }, { a: 2, b: 1 })).toEqual({
      entered: [notOne],
      stayed: [b],
      left: [one],
    });
    expect(engine.testChange('i', 'c', undefined, { a: 1 }).entered).toEqual([one]);
    expect(engine.testChange('i', 'c', { a: 1 }, undefined)).toEqual({
      entered: [],
      stayed: [],
      left: [one],
    });
    // The marks of a change don't affect the next test.
    expect(engine.test('i', 'c', { a: 2 })).toEqual([notOne]);
  });

  it('answers with the real identifier of a stored document, and the own one of a message', () => {
    const { matches } = engineOf({ ids: { values: ['x'] } });
    expect(matches({ _id: 'y' }, 'x')).toEqual([0]);
    expect(matches({ _id: 'x' }, 'y')).toEqual([]);
    expect(matches({ _id: 'x' })).toEqual([0]);
  });
});

describe('differences from the older engine (FILTER-60)', () => {
  it('D1: strict bounds are exact, near and far', () => {
    const { matches } = engineOf(
      { range: { a: { gt: 1609459200000 } } },
      { range: { a: { gt: 5 } } },
      { not: { range: { a: { gt: 5 } } } },
      { range: { a: { lt: 0, gt: -1 } } },
    );
    expect(matches({ a: 1609459200000 })).toEqual([1]);
    expect(matches({ a: 1609459200000.0002 })).toEqual([0, 1]);
    expect(matches({ a: 5 + 5e-11 })).toEqual([1]);
    expect(matches({ a: 5 })).toEqual([2]);
    expect(matches({ a: 0 })).toEqual([2]);
    expect(matches({ a: -Number.MIN_VALUE })).toEqual([2, 3]);
  });

  it('D2, D3: areas on two fields and unreadable points keep to their own field', () => {
    const circle = (field: string) => ({ geoDistance: { [field]: [43, 3], distance: '10km' } });
    const { matches } = engineOf(circle('p'), circle('q'), { not: circle('q') });
    expect(matches({ p: [43, 3], q: [43, 3] })).toEqual([0, 1]);
    expect(matches({ p: [43, 3], q: 'nowhere' })).toEqual([0, 2]);
  });

  it('D4, D5: a negated regexp is the complement, and flags keep no state', () => {
    const { matches } = engineOf({ regexp: { a: { value: '1', flags: 'g' } } }, { not: { regexp: { a: '1' } } });
    for (let round = 0; round < 3; round++) expect(matches({ a: 'x1' })).toEqual([0]);
    expect(matches({ a: 1 })).toEqual([1]);
    expect(matches({})).toEqual([1]);
  });

  it('D6: takes `not nothing` and boxes across the 180° meridian', () => {
    const box = { top: 10, left: 170, bottom: -10, right: -170 };
    const { matches } = engineOf({ not: { nothing: {} } }, { geoBoundingBox: { p: box } });
    expect(matches({ p: [0, 180] })).toEqual([0, 1]);
    expect(matches({ p: [0, -175] })).toEqual([0, 1]);
    expect(matches({ p: [0, 0] })).toEqual([0]);
  });

  it('D7: fields named like inherited properties are fields', () => {
    const names = ['toString', 'constructor', '__proto__', 'hasOwnProperty'];
    const { matches } = engineOf(...names.map((name) => ({ missing: name })), {
      exists: '__proto__',
    });
    expect(matches({})).toEqual([0, 1, 2, 3]);
    expect(matches(parse('{"__proto__":1,"toString":null}'))).toEqual([0, 1, 3, 4]);
  });

  it('D9: a filter of products is held as it was sent', () => {
    const engine = new FilterEngine();
    const pair = (i: number) => ({
      and: [{ equals: { [`a${i}`]: 1 } }, { equals: { [`b${i}`]: 1 } }],
    });
    const union = { or: Array.from({ length: 20 }, (_, i) => pair(i)) };
    expect(engine.register('i', 'c', union).created).toBe(true);
    expect(engine.test('i', 'c', { a7: 1, b7: 1 })).toHaveLength(1);
    const { id } = engine.register('i', 'c', { not: union });
    expect(engine.test('i', 'c', { a7: 1 })).toEqual([id]);
  });

  it('G2: the rim of a circle is the sphere’s, on poles and across the 180° meridian too', () => {
    const { matches } = engineOf(
      { geoDistance: { p: [49, 2], distance: '100km' } },
      { geoDistance: { p: [89.9, 0], distance: '50km' } },
      { geoDistance: { p: [0, 179.9], distance: '50km' } },
    );
    const degree = (Math.PI * 6_371_008.7714) / 180;
    expect(matches({ p: [49 + 99_999 / degree, 2] })).toEqual([0]);
    expect(matches({ p: [49 + 100_001 / degree, 2] })).toEqual([]);
    expect(matches({ p: [89.9, 180] })).toEqual([1]);
    expect(matches({ p: [0, -179.9] })).toEqual([2]);
  });
});

describe('documents that mean harm', () => {
  const wide = Array.from({ length: 40 }, (_, i) => ({ equals: { [`f${i}.x.y`]: 1 } }));

  it.each([['few fields', []] as const, ['many fields', wide] as const])(
    'cost no more than their size with %s, and break nothing',
    (_, more) => {
      const { matches } = engineOf({ exists: 'a.b' }, { missing: '__proto__.x' }, ...more);
      const deep = parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`);
      const keys = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}.a.b`, i]));
      const dots = { ['.'.repeat(100_000)]: 1, ['a.b.'.repeat(20_000)]: 1 };
      const long = { a: Array.from({ length: 100_000 }, () => ({ b: 1 })) };
      expect(matches(deep)).toEqual([1]);
      expect(matches(keys)).toEqual([1]);
      expect(matches(dots)).toEqual([1]);
      expect(matches(long)).toEqual([1]);
      expect(matches(parse('{"__proto__":{"x":1},"a":{"b":0}}'))).toEqual([0]);
    },
  );

  it('are found by the last spelling of a path, as by the plain evaluator', () => {
    const { matches } = engineOf({ equals: { 'a.b': 1 } }, { equals: { 'a.b': 2 } }, ...wide);
    expect(matches(parse('{"a":{"b":1},"a.b":2}'))).toEqual([1]);
    expect(matches(parse('{"a.b":2,"a":{"b":1}}'))).toEqual([0]);
    expect(matches(parse('{"a.b":2,"a":{"b":null}}'))).toEqual([1]);
  });
});

describe('filters that come and go', () => {
  const shapes = (i: number): readonly unknown[] => [
    { equals: { a: i % 50 } },
    { and: [{ equals: { a: i % 7 } }, { range: { b: { gte: i, lt: i + 10 } } }] },
    { or: [{ equals: { a: i } }, { and: [{ regexp: { t: `word${i}` } }, { exists: 'b' }] }] },
    { range: { b: { gt: i } } },
    { range: { b: { gt: i, lt: 2 * i + 1 } } },
    { not: { in: { a: [i, i + 1] } } },
    { geoDistance: { p: [i % 80, i % 170], distance: `${i + 1}km` } },
    { regexp: { t: { value: `x?word${i % 9}`, flags: 'i' } } },
    { missing: `field${i}` },
  ];

  it('leave nothing behind', () => {
    const engine = new FilterEngine();
    const empty = engine.measure();
    const held: string[] = [];
    for (let i = 0; i < 500; i++) {
      for (const filter of shapes(i)) {
        const { id, created } = engine.register('i', 'c', filter);
        if (created) held.push(id);
      }
      while (held.length > 400) engine.remove(held.splice(i % held.length, 1)[0] ?? '');
    }
    expect(engine.measure().filterCount).toBe(held.length);
    const full = engine.measure().approximateBytes;
    expect(full).toBeLessThan(500_000);
    for (const id of held) engine.remove(id);
    expect(engine.measure()).toEqual(empty);
  });

  it('are each found once while many share a value', () => {
    const engine = new FilterEngine();
    const ids = Array.from({ length: 500 }, (_, i) => {
      const range = { range: { b: { gte: i, lt: i + 100 } } };
      return engine.register('i', 'c', { and: [{ equals: { a: 1 } }, range] }).id;
    });
    expect(engine.test('i', 'c', { a: 1, b: 250 }).sort()).toEqual(ids.slice(151, 251).sort());
    for (let i = 0; i < 500; i += 2) engine.remove(ids[i] ?? '');
    const left = ids.slice(151, 251).filter((_, i) => (i + 151) % 2 === 1);
    expect(engine.test('i', 'c', { a: 1, b: 250 }).sort()).toEqual(left.sort());
  });
});
