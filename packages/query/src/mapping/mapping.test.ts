import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@millrace/language';
import { MappingError } from '../errors.js';
import { compileMapping } from './compileMapping.js';
import { mergeMapping } from './mergeMapping.js';
import { parseMapping } from './parseMapping.js';
import { toMappingBody } from './toMappingBody.js';
import { resolveExists, resolveFieldPattern } from './resolveFieldPattern.js';

const shown = (properties: JsonObject) => toMappingBody(parseMapping({ properties }))['properties'];
const merged = (base: JsonObject, update: JsonObject) =>
  toMappingBody(mergeMapping(parseMapping({ properties: base }), parseMapping({ properties: update })))['properties'];

describe('parseMapping (SEARCH-40, SEARCH-41, SEARCH-42)', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['string', { type: 'string' }, { type: 'text' }],
    [
      'string, analyzed',
      { type: 'string', index: 'analyzed', index_analyzer: 'english' },
      { type: 'text', analyzer: 'english' },
    ],
    ['string, not analyzed', { type: 'string', index: 'not_analyzed' }, { type: 'keyword' }],
    ['string, no', { type: 'string', index: 'no' }, { type: 'keyword', index: false }],
    ['integer, no', { type: 'integer', index: 'no' }, { type: 'integer', index: false }],
    ['integer, not_analyzed', { type: 'integer', index: 'not_analyzed', precision_step: 4 }, { type: 'integer' }],
    ['norms as an object', { type: 'text', norms: { enabled: false } }, { type: 'text', norms: false }],
    [
      'dropped parameters',
      {
        type: 'geo_point',
        lat_lon: true,
        geohash_precision: 5,
        validate: true,
        normalize_lat: true,
      },
      { type: 'geo_point' },
    ],
    ['fielddata as an object', { type: 'string', fielddata: { format: 'x' }, include_in_all: false }, { type: 'text' }],
    ['an object', { properties: { x: { type: 'long' } } }, { properties: { x: { type: 'long' } } }],
    ['a nested object', { type: 'nested', dynamic: 'strict' }, { type: 'nested', dynamic: 'strict' }],
    [
      'multi-fields',
      { type: 'text', fields: { k: { type: 'string', index: 'not_analyzed' } } },
      { type: 'text', fields: { k: { type: 'keyword' } } },
    ],
    ['copy_to', { type: 'text', copy_to: 'all' }, { type: 'text', copy_to: ['all'] }],
  ])('shows %s in current terms', (_, given, expected) => {
    expect(shown({ f: given })).toEqual({ f: expected });
  });

  it('takes dotted names as objects', () => {
    expect(shown({ 'a.b': { type: 'long' }, a: { properties: { c: { type: 'date' } } } })).toEqual({
      a: { properties: { b: { type: 'long' }, c: { type: 'date' } } },
    });
  });

  it('reads back what it shows', () => {
    const body = {
      dynamic: 'strict',
      date_detection: false,
      dynamic_date_formats: ['yyyy'],
      properties: {
        k: { type: 'keyword' },
        s: { type: 'scaled_float', scaling_factor: 100, null_value: 1 },
      },
    };
    const mapping = parseMapping(body);
    expect(JSON.stringify(toMappingBody(parseMapping(toMappingBody(mapping))))).toBe(
      JSON.stringify(toMappingBody(mapping)),
    );
  });

  it('keeps a field called __proto__ as plain data', () => {
    const body = JSON.parse('{"properties":{"p":{"properties":{"__proto__":{"type":"keyword"}}}}}') as JsonValue;
    expect(JSON.stringify(toMappingBody(parseMapping(body)))).toContain('"__proto__":{"type":"keyword"}');
    expect(Object.hasOwn(Object.prototype, 'type')).toBe(false);
  });

  it.each<[string, JsonValue, string]>([
    ['an unknown type', { properties: { z: { type: 'stringy' } } }, 'properties.z.type'],
    ['an unknown parameter', { properties: { z: { type: 'keyword', colour: 'red' } } }, 'properties.z.colour'],
    [
      'a parameter of another type',
      { properties: { z: { type: 'text', null_value: 'x' } } },
      'properties.z.null_value',
    ],
    ['a scaled_float without factor', { properties: { z: { type: 'scaled_float' } } }, 'properties.z'],
    ['runtime fields', { properties: {}, runtime: {} }, 'runtime'],
    ['dynamic templates', { properties: {}, dynamic_templates: [] }, 'dynamic_templates'],
    ['properties that are a list', { properties: ['a'] }, 'properties'],
    ['a field without type', { properties: { z: {} } }, 'properties.z'],
    ['another normalizer', { properties: { z: { type: 'keyword', normalizer: 'mine' } } }, 'properties.z.normalizer'],
    ['an unknown date format', { properties: { z: { type: 'date', format: 'jjjj' } } }, 'properties.z.format'],
    ['an empty name', { properties: { '': { type: 'long' } } }, 'properties.'],
    ['a name with an empty part', { properties: { 'a..b': { type: 'long' } } }, 'properties.a..b'],
    ['a metadata name', { properties: { _id: { type: 'long' } } }, 'properties._id'],
    ['copy_to of metadata', { properties: { z: { type: 'long', copy_to: '_id' } } }, 'properties.z.copy_to'],
    [
      'multi-fields of multi-fields',
      { properties: { z: { type: 'text', fields: { a: { type: 'text', fields: {} } } } } },
      'properties.z.fields.a.fields',
    ],
    [
      'a gap between values that are not indexed',
      { properties: { a: { type: 'text', index: false, position_increment_gap: 5 } } },
      'properties.a.position_increment_gap',
    ],
    [
      'kept term vectors of a text field that is not indexed',
      { properties: { a: { type: 'text', index: false, store: true, term_vector: 'yes' } } },
      'properties.a.term_vector',
    ],
    [
      'fielddata of a text field that is not indexed',
      { properties: { a: { type: 'text', index: false, fielddata: true } } },
      'properties.a.fielddata',
    ],
  ])('refuses %s, naming the place', (_, body, path) => {
    try {
      parseMapping(body);
    } catch (error) {
      expect(error).toBeInstanceOf(MappingError);
      expect((error as MappingError).path).toBe(path);
      return;
    }
    throw new Error('nothing was refused');
  });

  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, { type: 'long' }]));
  const deep = (levels: number) =>
    Array.from({ length: levels - 1 }).reduce<JsonObject>((inner) => ({ properties: { o: inner } }), { type: 'long' });

  it('takes 1,000 fields and a depth of 20, and no more', () => {
    expect(parseMapping({ properties: fields(1000) }).properties.size).toBe(1000);
    expect(() => parseMapping({ properties: fields(1001) })).toThrow(MappingError);
    expect(parseMapping({ properties: { a: deep(20) } }).properties.size).toBe(1);
    expect(() => parseMapping({ properties: { a: deep(21) } })).toThrow(MappingError);
    expect(() => parseMapping({ properties: { a: deep(5000) } })).toThrow(MappingError);
  });
});

describe('checkFields', () => {
  it.each<[string, JsonValue, JsonObject?]>([
    ['byte', 128],
    ['integer', 'x'],
    ['integer', 1.5],
    ['long', true],
    ['half_float', 70_000],
    ['scaled_float', 'x', { scaling_factor: 10 }],
    ['date', 'soon'],
    ['date', '2024-01-01', { format: 'dd/MM/yyyy' }],
    ['date', true],
    ['ip', '1.2.3.0/24'],
    ['ip', 5],
  ])('refuses a null_value that is none of a %s: %j', (type, value, options = {}) => {
    expect(() => merged({}, { v: { type, null_value: value, ...options } })).toThrow('null_value');
  });

  it('takes a null_value in the format that the field has', () => {
    const base = {
      v: { type: 'date', format: 'dd/MM/yyyy' },
      n: { type: 'long', null_value: '7' },
    };
    const update = { v: { type: 'date', null_value: '31/12/2024' } };
    expect(merged(base, update)).toMatchObject({ v: { null_value: '31/12/2024' } });
  });

  it.each<[string, JsonObject]>([
    ['an object', { o: { properties: {} } }],
    ['a multi-field', { o: { type: 'text', fields: { raw: { type: 'keyword' } } } }],
    ['a nested field', { o: { type: 'nested', properties: { x: { type: 'keyword' } } } }],
  ])('refuses to copy to %s, also one that is added later', (kind, target) => {
    const to = kind === 'an object' ? 'o' : kind === 'a multi-field' ? 'o.raw' : 'o.x';
    const source = { a: { type: 'keyword', copy_to: to } };
    expect(() => merged({}, { ...source, ...target })).toThrow('copy_to');
    expect(() => merged(source, target)).toThrow('copy_to');
  });

  it('lets nested objects copy to themselves and to what is around them', () => {
    const x = { type: 'keyword', copy_to: ['n.y', 'all', 'absent'] };
    const n = { type: 'nested', properties: { x, y: { type: 'keyword' } } };
    expect(() => merged({}, { n, all: { type: 'text' } })).not.toThrow();
  });

  it('refuses meta that is not a few short strings', () => {
    for (const meta of [{ a: 5 }, { a: 'x'.repeat(51) }, { ['k'.repeat(21)]: 'x' }]) {
      expect(() => merged({}, { v: { type: 'long', meta } })).toThrow('meta');
    }
    expect(() => merged({}, { v: { type: 'long', meta: { unit: 'm' } } })).not.toThrow();
  });
});

describe('mergeMapping (SEARCH-40)', () => {
  it('adds fields, sub-fields and multi-fields, and keeps the rest', () => {
    expect(
      merged(
        { a: { type: 'keyword', ignore_above: 5 }, o: { properties: { x: { type: 'long' } } } },
        {
          b: { type: 'date' },
          o: { properties: { y: { type: 'boolean' } } },
          a: { type: 'keyword', fields: { t: { type: 'text' } } },
        },
      ),
    ).toEqual({
      a: { type: 'keyword', ignore_above: 5, fields: { t: { type: 'text' } } },
      o: { properties: { x: { type: 'long' }, y: { type: 'boolean' } } },
      b: { type: 'date' },
    });
  });

  it('changes copy_to, ignore_above and search_analyzer', () => {
    expect(
      merged({ a: { type: 'keyword', ignore_above: 5 } }, { a: { type: 'keyword', ignore_above: 9, copy_to: ['c'] } }),
    ).toEqual({ a: { type: 'keyword', ignore_above: 9, copy_to: ['c'] } });
    expect(
      merged({ a: { type: 'text' } }, { a: { type: 'text', search_analyzer: 'simple', analyzer: 'standard' } }),
    ).toMatchObject({ a: { search_analyzer: 'simple' } });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['another type', { type: 'keyword' }, { type: 'long' }],
    ['another analyzer', { type: 'text' }, { type: 'text', analyzer: 'english' }],
    ['an object for a value', { type: 'keyword' }, { properties: {} }],
    ['a value for an object', { properties: {} }, { type: 'keyword' }],
    ['nested for an object', { properties: {} }, { type: 'nested' }],
    ['another format', { type: 'date' }, { type: 'date', format: 'yyyy' }],
    ['doc_values off', { type: 'long' }, { type: 'long', doc_values: false }],
  ])('refuses %s', (_, base, update) => {
    expect(() => merged({ f: base }, { f: update })).toThrow(MappingError);
  });

  it('never changes its arguments', () => {
    const base = parseMapping({ properties: { o: { properties: { x: { type: 'long' } } } } });
    const before = JSON.stringify(toMappingBody(base));
    mergeMapping(base, parseMapping({ properties: { o: { properties: { y: { type: 'long' } } } } }));
    expect(JSON.stringify(toMappingBody(base))).toBe(before);
  });
});

describe('compileMapping', () => {
  const first = parseMapping({
    properties: {
      a: { type: 'text', fields: { raw: { type: 'keyword' } } },
      n: { type: 'nested', properties: { b: { type: 'long' } } },
    },
  });

  it('keeps ordinals when fields are added', () => {
    const before = compileMapping(first);
    const after = compileMapping(
      mergeMapping(first, parseMapping({ properties: { a: { type: 'text', fields: { x: { type: 'keyword' } } } } })),
      before,
    );
    for (const [name, field] of before.fields) expect(after.fields.get(name)?.ordinal).toBe(field.ordinal);
    expect(after.fieldsByOrdinal[after.fields.get('a.x')?.ordinal ?? -1]?.name).toBe('a.x');
  });

  it('knows the nested object around a field', () => {
    expect(compileMapping(first).fields.get('n.b')?.nestedPath).toBe('n');
    expect(compileMapping(first).fields.get('a.raw')?.nestedPath).toBeUndefined();
  });

  it.each<[string, string, string, string]>([
    ['root', '', '', 'a'],
    ['parent', '', '', ''],
    ['both', '', '', ''],
    ['root', 'both', 'both', 'a'],
    ['', 'both', 'both', 'b'],
    ['', 'root', 'both', 'b'],
    ['', 'parent', 'both', 'c'],
    ['both', '', 'both', 'c'],
    ['root', 'parent', 'both', 'ac'],
  ])('keeps include_in_root where include_in_parent is not the same: %j, %j, %j', (a, b, c, kept) => {
    const object = (name: string, included: string, properties: JsonObject): JsonObject => ({
      [name]: {
        type: 'nested',
        include_in_root: /root|both/.test(included),
        include_in_parent: /parent|both/.test(included),
        properties,
      },
    });
    const properties = object('a', a, object('b', b, object('c', c, { z: { type: 'keyword' } })));
    const { objects } = compileMapping(parseMapping({ properties }));
    const inRoot = [...objects.values()].filter(({ includeInRoot }) => includeInRoot);
    expect(inRoot.map(({ name }) => name.at(-1)).join('')).toBe(kept);
  });

  it('resolves patterns, and objects for exists', () => {
    const compiled = compileMapping(first);
    expect(
      resolveFieldPattern(compiled, 'a*')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['a', 'a.raw']);
    expect(resolveExists(compiled, 'n').map(({ name }) => name)).toEqual(['n.b']);
  });
});
