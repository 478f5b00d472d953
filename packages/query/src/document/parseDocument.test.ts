import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@millrace/language';
import { DocumentError } from '../errors.js';
import { compileMapping } from '../mapping/compileMapping.js';
import { mergeMapping } from '../mapping/mergeMapping.js';
import { parseMapping } from '../mapping/parseMapping.js';
import { toMappingBody } from '../mapping/toMappingBody.js';
import { deriveDynamicFields } from './deriveDynamicFields.js';
import type { DocumentSink } from './DocumentSink.js';
import { formatIp, parseCidr, parseIp } from '../mapping/ip.js';
import { NULL_SINK } from './NULL_SINK.js';
import { parseDocument } from './parseDocument.js';

const compile = (properties: JsonObject, rest: JsonObject = {}) =>
  compileMapping(parseMapping({ properties, ...rest }));

/** The calls that a sink receives, as `name=value`. */
function heard(properties: JsonObject, source: JsonObject): string[] {
  const log: string[] = [];
  const note = ({ name }: { readonly name: string }, ...values: readonly unknown[]) => {
    log.push(`${name}=${values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(',')}`);
  };
  const sink: DocumentSink = {
    text: note, keyword: note, number: note, boolean: note, date: note, ip: note, point: note, shape: note, binary: note,
    beginNested: ({ name }) => log.push(`${name}(`),
    endNested: () => log.push(')'),
  }; // prettier-ignore
  parseDocument(compile(properties), source, sink);
  return log;
}

describe('parseDocument (SEARCH-46)', () => {
  it.each<[string, JsonObject, JsonValue, string[]]>([
    ['text', { type: 'text' }, ['a b', 5, true], ['v=a b', 'v=5', 'v=true']],
    ['keyword', { type: 'keyword', ignore_above: 3 }, ['abc', 'abcd', null], ['v=abc']],
    ['lower-cased keyword', { type: 'keyword', normalizer: 'lowercase' }, 'ABC', ['v=abc']],
    ['integer', { type: 'integer' }, [1, '2', 3.9, '', [4]], ['v=1', 'v=2', 'v=3', 'v=4']],
    ['float', { type: 'float' }, 1.1, [`v=${Math.fround(1.1)}`]],
    ['half_float', { type: 'half_float' }, 0.1, ['v=0.0999755859375']],
    ['scaled_float', { type: 'scaled_float', scaling_factor: 100 }, 1.234, ['v=1.23']],
    ['boolean', { type: 'boolean' }, [true, 'false', ''], ['v=true', 'v=false', 'v=false']],
    [
      'date',
      { type: 'date' },
      ['2024-01-01', 1700000000000, 2024],
      [`v=${Date.UTC(2024, 0)}`, 'v=1700000000000', `v=${Date.UTC(2024, 0)}`],
    ],
    ['date of a pattern', { type: 'date', format: 'dd/MM/yyyy' }, '02/01/2024', [`v=${Date.UTC(2024, 0, 2)}`]],
    ['ip', { type: 'ip' }, '10.0.0.1', ['v=00000000000000000000ffff0a000001']],
    ['geo_point', { type: 'geo_point' }, [2, 48], ['v=48,2']],
    ['geo_point list', { type: 'geo_point' }, [[2, 48], '1,2', { lat: 3, lon: 4 }], ['v=48,2', 'v=1,2', 'v=3,4']],
    ['geo_shape', { type: 'geo_shape' }, 'POINT (1 2)', ['v={"kind":"point","point":{"lat":2,"lon":1}}']],
    ['null_value', { type: 'integer', null_value: 7 }, null, ['v=7']],
    ['null_value for an empty text', { type: 'integer', null_value: 7 }, '', ['v=7']],
    ['ignored malformed values', { type: 'integer', ignore_malformed: true }, ['x', 1], ['v=1']],
    ['multi-fields', { type: 'text', fields: { k: { type: 'keyword' } } }, 'A b', ['v=A b', 'v.k=A b']],
    ['binary', { type: 'binary' }, 'aGk=', []],
    ['binary that is stored', { type: 'binary', store: true }, 'aGk=', ['v=']],
  ])('reports %s', (_, field, value, expected) => {
    expect(heard({ v: field }, { v: value })).toEqual(expected);
  });

  it('copies values, not transitively (SEARCH-43)', () => {
    const properties = {
      a: { type: 'keyword', copy_to: ['b'] },
      b: { type: 'keyword', copy_to: ['c'] },
      c: { type: 'keyword' },
    };
    expect(heard(properties, { a: 'x' })).toEqual(['a=x', 'b=x']);
  });

  it('brackets nested objects, and reads dotted keys as objects', () => {
    const properties = {
      n: { type: 'nested', properties: { x: { type: 'long' } } },
      o: { properties: { y: { type: 'long' } } },
    };
    expect(heard(properties, { n: [{ x: 1 }, { x: 2 }], 'o.y': 3 })).toEqual([
      'n(',
      'n.x=1',
      ')',
      'n(',
      'n.x=2',
      ')',
      'o.y=3',
    ]);
  });

  it('looks at nothing in a disabled object', () => {
    expect(heard({ o: { type: 'object', enabled: false } }, { o: { x: { y: 1 } } })).toEqual([]);
  });

  it.each<[string, JsonValue]>([
    ['integer', 'seven'],
    ['integer', 3_000_000_000],
    ['integer', true],
    ['byte', 200],
    ['byte', 127.5],
    ['byte', '-128.1'],
    ['integer', '2147483647.5'],
    ['float', 1e300],
    ['half_float', 70_000],
    ['long', '0x10'],
    ['long', { a: 1 }],
    ['date', 'soon'],
    ['date', '2024-02-30'],
    ['boolean', 'maybe'],
    ['boolean', 1],
    ['ip', '300.1.1.1'],
    ['ip', '10.01.1.1'],
    ['geo_point', { lat: 91, lon: 0 }],
    ['geo_point', { lat: 1, lon: 0, foo: 1 }],
    ['geo_shape', { type: 'polygon', coordinates: [] }],
    ['keyword', { a: 1 }],
    ['keyword', 'é'.repeat(20_000)],
    ['text', { a: 1 }],
    ['object', 5],
  ])('refuses a value that does not fit (%s, %j)', (type, value) => {
    expect(() => parseDocument(compile({ v: { type } }), { v: value }, NULL_SINK)).toThrow(DocumentError);
  });

  it('takes the borders of whole numbers, and long strings for keywords that are kept nowhere', () => {
    const parse = (definition: JsonObject, v: JsonValue) => () =>
      parseDocument(compile({ v: definition }), { v }, NULL_SINK);
    expect(parse({ type: 'byte' }, [127, '-128', -0.5])).not.toThrow();
    expect(parse({ type: 'half_float' }, 65_519.5)).not.toThrow();
    expect(parse({ type: 'long' }, ['9223372036854775807', '-9223372036854775808'])).not.toThrow();
    const unkept = { type: 'keyword', index: false, doc_values: false };
    expect(parse(unkept, 'x'.repeat(40_000))).not.toThrow();
    for (const key of ['index', 'doc_values', 'store']) {
      expect(parse({ ...unkept, [key]: true }, 'x'.repeat(40_000)), key).toThrow(DocumentError);
    }
  });

  it.each<[JsonValue]>([
    [[1, 2, 3]],
    ['2,1,3'],
    ['POINT (1 2 3)'],
    [{ lat: 2, lon: 1, z: 3 }],
    [{ type: 'Point', coordinates: [1, 2, 3] }],
  ])('refuses a height where it is not ignored: %j', (v) => {
    const parse = (options: JsonObject) => () =>
      parseDocument(compile({ v: { type: 'geo_point', ...options } }), { v }, NULL_SINK);
    expect(parse({ ignore_z_value: false })).toThrow(DocumentError);
    expect(parse({})).not.toThrow();
  });

  it('creates targets of copy_to as dynamic has it where they would be', () => {
    const a = { type: 'keyword', copy_to: ['z', 'o.z'] };
    const derived = (dynamic: JsonValue, inner: JsonValue) => {
      const compiled = compile({ a, o: { dynamic: inner, properties: {} } }, { dynamic });
      const isNew = parseDocument(compiled, { a: 'x' }, NULL_SINK);
      const added = isNew ? deriveDynamicFields(compiled, { a: 'x' }) : undefined;
      return added === undefined ? [] : [...added.properties.keys()];
    };
    expect(derived(true, true)).toEqual(['z', 'o']);
    expect(derived(false, true)).toEqual(['o']);
    expect(derived(true, false)).toEqual(['z']);
    expect(derived(false, false)).toEqual([]);
    expect(() => derived(true, 'strict')).toThrow('"o.z"');
    expect(() => derived('strict', true)).toThrow('"z"');
  });

  it('looks at binary content only where the mapping keeps it apart from the document', () => {
    const parse = (options: object) =>
      parseDocument(compile({ v: { type: 'binary', ...options } }), { v: 'not base64!' }, NULL_SINK);
    expect(() => parse({ doc_values: true })).not.toThrow();
    expect(() => parse({ store: true })).toThrow(DocumentError);
    expect(() => parse({})).not.toThrow();
  });

  it('refuses a malformed point or one out of range, or ignores it under ignore_malformed', () => {
    const parse = (value: JsonValue, ignoreMalformed: boolean) =>
      heard({ v: { type: 'geo_point', ignore_malformed: ignoreMalformed } }, { v: value });
    for (const value of [[1, 'a'], [1], [190, 10], { lat: 95, lon: 0 }, 'a'] as JsonValue[]) {
      expect(() => parse(value, false), JSON.stringify(value)).toThrow(DocumentError);
      expect(parse(value, true), JSON.stringify(value)).toEqual([]);
    }
    expect(parse([1, '2'], false)).toEqual(['v=2,1']);
  });

  it('refuses fractions where coerce is off', () => {
    const compiled = compile({ v: { type: 'integer', coerce: false } });
    expect(() => parseDocument(compiled, { v: 1.5 }, NULL_SINK)).toThrow(DocumentError);
    expect(() => parseDocument(compiled, { v: '1' }, NULL_SINK)).toThrow(DocumentError);
  });

  it('refuses unmapped fields under strict, names the path, and obeys the object below', () => {
    const compiled = compile({ o: { dynamic: false, properties: {} } }, { dynamic: 'strict' });
    expect(() => parseDocument(compiled, { x: 1 }, NULL_SINK)).toThrow(/"x"/);
    expect(parseDocument(compiled, { o: { y: 1 } }, NULL_SINK)).toBe(false);
  });
});

describe('deriveDynamicFields (SEARCH-45)', () => {
  const derive = (source: JsonObject, properties: JsonObject = {}, rest: JsonObject = {}): JsonValue | undefined => {
    const additions = deriveDynamicFields(compile(properties, rest), source);
    return additions === undefined ? undefined : toMappingBody(additions)['properties'];
  };
  const text = { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } };

  it.each<[JsonValue, JsonValue]>([
    [true, { type: 'boolean' }],
    [3, { type: 'long' }],
    [1.5, { type: 'float' }],
    [2 ** 62, { type: 'long' }],
    [1e18, { type: 'long' }],
    [1e20, { type: 'float' }],
    [-1e21, { type: 'float' }],
    ['2024-05-01', { type: 'date' }],
    ['2024', text],
    ['words', text],
    [{ k: 1 }, { properties: { k: { type: 'long' } } }],
    [{}, { type: 'object' }],
    [[null, [7]], { type: 'long' }],
    [[{ a: 1 }, { b: true }], { properties: { a: { type: 'long' }, b: { type: 'boolean' } } }],
  ])('types %j by its first value', (value, expected) => {
    expect(derive({ v: value })).toEqual({ v: expected });
  });

  it('knows dates with slashes', () => {
    for (const value of ['2024/05/01', '2024/05/01 10:00:00', '2024/05/01 10:00:00 +0100']) {
      expect(derive({ v: value })).toMatchObject({ v: { type: 'date' } });
    }
  });

  it('adds nothing for null, [] or known fields', () => {
    expect(derive({ a: null, b: [], c: [null], d: 1 }, { d: { type: 'long' } })).toBeUndefined();
  });

  it('heeds dynamic, date_detection and numeric_detection', () => {
    expect(derive({ a: 1 }, {}, { dynamic: false })).toBeUndefined();
    expect(derive({ a: '2024-05-01' }, {}, { date_detection: false })).toEqual({ a: text });
    expect(derive({ a: '5', b: '1.5' }, {}, { numeric_detection: true })).toEqual({
      a: { type: 'long' },
      b: { type: 'float' },
    });
    expect(derive({ a: '2.5', b: ' 5', c: '92233720368547758080' }, {}, { numeric_detection: true })).toEqual({
      a: { type: 'float' },
      b: { type: 'float' },
      c: { type: 'float' },
    });
    expect(derive({ a: '01.05.2024' }, {}, { dynamic_date_formats: ['dd.MM.yyyy'] })).toEqual({
      a: { type: 'date', format: 'dd.MM.yyyy' },
    });
  });

  it('derives inside known and nested objects, and from dotted keys', () => {
    expect(
      derive({ n: [{ x: 1 }, { y: 2 }], 'a.b': 1 }, { n: { type: 'nested', properties: { x: { type: 'long' } } } }),
    ).toEqual({
      n: { type: 'nested', properties: { y: { type: 'long' } } },
      a: { properties: { b: { type: 'long' } } },
    });
  });

  it('creates the targets of copy_to', () => {
    const properties = { a: { type: 'keyword', copy_to: ['c'] } };
    expect(parseDocument(compile(properties), { a: 'x' }, NULL_SINK)).toBe(true);
    expect(derive({ a: 'x' }, properties)).toEqual({ c: text });
  });

  it('refuses empty names, and too many fields after merging', () => {
    for (const name of ['', ' ', 'a..b', '.a']) expect(() => derive({ [name]: 1 })).toThrow(DocumentError);
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`f${n}`, 1]));
    const compiled = compile({
      ...Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`g${n}`, { type: 'long' }])),
    });
    const additions = deriveDynamicFields(compiled, many);
    expect(() => additions && mergeMapping(compiled.mapping, additions)).toThrow(/1000/);
  });
});

describe('ip keys', () => {
  it('sort as addresses and come back in their usual form', () => {
    for (const text of ['10.0.0.255', '2001:db8::1', '::', '::1', '1:0:0:2::', 'fe80::1:2']) {
      expect(formatIp(parseIp(text) ?? '')).toBe(text);
    }
    for (const text of ['1.2.3', '1::2::3', '::g', '1.2.3.256', '', '1:2:3:4:5:6:7'])
      expect(parseIp(text)).toBeUndefined();
    expect((parseIp('9.0.0.0') ?? '') < (parseIp('10.0.0.0') ?? '')).toBe(true);
  });

  it('know networks', () => {
    const network = parseCidr('192.168.0.0/16');
    expect([formatIp(network?.first ?? ''), formatIp(network?.last ?? '')]).toEqual(['192.168.0.0', '192.168.255.255']);
    expect(parseCidr('10.0.0.0/33')).toBeUndefined();
  });
});
