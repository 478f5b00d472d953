import type { JsonObject, JsonValue } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { listErrorPaths } from './listErrorPaths.test.support.js';
import { parseSpecification } from './parseSpecification.js';
import { validateDocument } from './validateDocument.js';

/** Saturday 2024-06-15, 12:00 UTC. */
const nowMs = Date.UTC(2024, 5, 15, 12);
const faultsOf = (specification: JsonObject) => parseSpecification(specification, 'i.c', nowMs).faults;

function isValid(type: string, typeOptions: JsonObject, v: JsonValue): boolean {
  const { specification, faults } = parseSpecification({ fields: { v: { type, typeOptions } } }, 'i.c', nowMs);
  expect(faults).toEqual([]);
  return validateDocument(specification, { source: { v }, nowMs }).valid;
} // prettier-ignore

/** A date format, values it accepts, values it refuses. */
const DATES: readonly (readonly [string, readonly JsonValue[], readonly JsonValue[]])[] = [
  ['epoch_millis', [0, '-5', 1e15], ['5 x', 1.5, '1.5', true, '']],
  ['epoch_second', [1700000000, '1700000000'], [1e15, 'x']],
  ['strict_date_optional_time', ['2024', '2024-02', '2024-02-29', '2024-02-29T10', '2024-02-29T10:20:30.5+01:00'], ['2023-02-29', '2024-2-3', '2024T10:00', 20240101]],
  ['basic_date', ['20240229'], ['20230229', '2024-02-29', 20240229]],
  ['date', ['2024-2-3', '2024-02-03'], ['2024-13-01', '2024-00-01', '2024-02-03T']],
  ['strict_date', ['2024-02-03'], ['2024-2-3']],
  ['ordinal_date', ['2024-366', '2024-1'], ['2023-366', '2024-0']],
  ['week_date', ['2020-W53-7', '2024-W1-1'], ['2024-W53-1', '2024-W01-8', '2024-W01-0']],
  ['basic_week_date', ['2020W537'], ['2020W5', '2020-W53-7']],
  ['year_month', ['2024-06', '2024-6', '202406'], ['2024-13', '202413']],
  ['hour_minute', ['23:59', '1:2'], ['24:00', '12:60']],
  ['strict_hour_minute_second_fraction', ['10:20:30.123456789'], ['10:20:30', '10:20:30.1234567890']],
  ['date_hour_minute', ['2024-06-15T10:20'], ['2024-06-15 10:20']],
  ['t_time', ['T10:20:30.123Z', 'T10:20:30.123+0100'], ['10:20:30.123Z', 'T10:20:30Z']],
  ['basic_date_time_no_millis', ['20240615T102030Z'], ['20240615T102030.1Z']],
  ['strict_basic_week_date_time', ['2024W241T102030.123+01:00'], ['2024W241T102030Z']],
  ['ordinal_date_time_no_millis', ['2024-100T10:20:30Z'], ['2024-100T10:20:30']],
]; // prettier-ignore

describe('dates (VALID-22)', () => {
  it.each(DATES)('reads %s', (format, accepted, refused) => {
    for (const value of accepted) expect([value, isValid('date', { formats: [format] }, value)]).toEqual([value, true]);
    for (const value of refused) expect([value, isValid('date', { formats: [format] }, value)]).toEqual([value, false]);
  });

  it('are held to a range, also to one that moves with the clock', () => {
    const past = { range: { max: 'NOW' } };
    expect(isValid('date', past, nowMs)).toBe(true);
    expect(isValid('date', past, nowMs + 1)).toBe(false);
    const today = { range: { min: 'T08:00:00', max: 'T18:30:00.5' } };
    expect(isValid('date', today, Date.UTC(2024, 5, 15, 8))).toBe(true);
    expect(isValid('date', today, Date.UTC(2024, 5, 14, 9))).toBe(false);
    expect(
      isValid(
        'date',
        { formats: ['date_time'], range: { min: '2024-01-01T00:00:00+01:00' } },
        '2023-12-31T23:00:00.000Z',
      ),
    ).toBe(true);
  });
});

describe('strings and shapes (VALID-21, VALID-23)', () => {
  const long = 'x'.repeat(100_000);
  it.each([
    [
      'email',
      {},
      ['a@b.org', "o'neil+x@ex-ample.co.uk"],
      ['a@b', 'a@b.c', 'a@@b.org', 'a@[1.2.3.4]', `${long}@b.org`, 'a b@c.org'],
    ],
    [
      'url',
      {},
      ['example.com', 'http://[::1]:80/x', 'ftp://1.2.3.4', 'https://é.org/?a#b', 'http://user:word@a.org'],
      [
        'a@b.org',
        'mailto:a@b.org',
        'http://localhost',
        'gopher://a.org',
        'http://a.org:99999',
        'http://a.org/ x',
        `http://${long}.org`,
        'http://-a.org',
      ],
    ],
    ['ip_address', {}, ['::', '1.2.3.4'], ['1.2.3', '1.2.3.4/8', '[::1]', 'fe80::1%1']],
    [
      'geo_shape',
      {},
      [
        {
          type: 'envelope',
          coordinates: [
            [0, 1],
            [1, 0],
          ],
        },
        {
          type: 'polygon',
          orientation: 'cw',
          coordinates: [
            [
              [0, 0],
              [1, 0],
              [1, 1],
              [0, 0],
            ],
          ],
        },
        { type: 'circle', coordinates: [0, 0], radius: 5 },
      ],
      [
        'x',
        { type: 'Point', coordinates: [0, 0] },
        { type: 'point', coordinates: [0, 0, 0] },
        { type: 'point', coordinates: [0, 0], orientation: 'cw' },
        { type: 'circle', coordinates: [0, 0], radius: 0 },
        { type: 'geometrycollection', coordinates: [] },
        { type: 'point', coordinates: [0, 0], bbox: [] },
      ],
    ],
    [
      'geo_shape',
      { shapeTypes: ['geometrycollection', 'point'] },
      [{ type: 'geometrycollection', geometries: [] }],
      [{ type: 'geometrycollection', geometries: [{ type: 'circle', coordinates: [0, 0], radius: 1 }] }],
    ],
  ] as const)('%s %j', (type, options, accepted, refused) => {
    const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonValue;
    for (const value of accepted)
      expect([value, isValid(type, json(options) as JsonObject, json(value))]).toEqual([value, true]);
    for (const value of refused)
      expect([value, isValid(type, json(options) as JsonObject, json(value))]).toEqual([value, false]);
  });
});

describe('faults of a specification (VALID-1, VALID-2, VALID-43)', () => {
  it.each([
    [{ feilds: {} }, 'i.c: unknown key "feilds"'],
    [{ strict: 'true' }, 'i.c: strict'],
    [{ fields: [] }, 'i.c: fields'],
    [{ fields: { a: 5 } }, 'i.c.a: a field specification'],
    [{ fields: { a: {} } }, 'i.c.a: type is missing'],
    [{ fields: { a: { type: 'constructor' } } }, 'i.c.a: unknown type'],
    [
      { fields: { a: { type: 'string', typeOptions: { range: { min: 1 } } } } },
      'i.c.a: type "string" has no option "range"',
    ],
    [{ fields: { a: { type: 'string', typeOptions: { length: { min: -1 } } } } }, 'i.c.a: typeOptions.length.min'],
    [
      { fields: { a: { type: 'integer', typeOptions: { range: { min: 2, max: 1 } } } } },
      'i.c.a: typeOptions.range: min is above max',
    ],
    [
      { fields: { a: { type: 'date', typeOptions: { range: { min: '2024-13-01' } } } } },
      'i.c.a: typeOptions.range.min',
    ],
    [{ fields: { a: { type: 'date', typeOptions: { formats: [] } } } }, 'i.c.a: typeOptions.formats'],
    [{ fields: { a: { type: 'enum' } } }, 'i.c.a: typeOptions.values'],
    [
      { fields: { a: { type: 'string', multivalued: { value: true, minCount: 2, maxCount: 1 } } } },
      'i.c.a: multivalued: minCount',
    ],
    [{ fields: { a: { type: 'string', multivalued: { value: false, minCount: 0 } } } }, 'i.c.a: multivalued.minCount'],
    [{ fields: { 'a/b': { type: 'string' } } }, 'i.c.a/b: its parent "a" is not declared'],
    [{ fields: { a: { type: 'string' }, 'a/b': { type: 'string' } } }, 'i.c.a/b: its parent "a" is no object'],
    [{ fields: { 'a/': { type: 'string' } } }, 'i.c.a/: a name in the path is empty'],
    [{ fields: { [Array(21).fill('a').join('/')]: { type: 'string' } } }, 'more than 20 levels'],
    [
      { fields: Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`f${i}`, { type: 'string' }])) },
      'i.c: more than 1000 fields',
    ],
    [{ fields: { a: { type: 'string', multivalued: { value: true }, defaultValue: 'x' } } }, 'i.c.a: defaultValue'],
    [{ validators: {} }, 'i.c: validators must be a list'],
    [{ validators: [{ foo: 1 }] }, 'i.c: validators: Invalid filter: unknown operator "foo"'],
  ] as readonly (readonly [JsonObject, string])[])('%j', (specification, text) => {
    expect(faultsOf(specification).join('\n')).toContain(text);
  });

  it('are none in a specification that uses everything', () => {
    const fields = {
      a: { type: 'object', description: 'x', typeOptions: { strict: true }, multivalued: { value: true, minCount: 0 } },
      'a/b': { type: 'anything', mandatory: false },
      'x.y': { type: 'boolean', defaultValue: false },
    };
    expect(faultsOf({ strict: false, fields, validators: [] })).toEqual([]);
  });
});

describe('names', () => {
  it('are plain data, also __proto__', () => {
    const fields = JSON.parse(
      '{"__proto__": {"type": "object"}, "__proto__/toString": {"type": "integer", "mandatory": true, "defaultValue": 1}, "constructor": {"type": "string", "mandatory": true}}',
    ) as JsonObject;
    const { specification } = parseSpecification({ fields, strict: true }, 'i.c', nowMs);
    const source = JSON.parse('{"__proto__": {"toString": "x"}}') as JsonObject;
    const { errorMessages } = validateDocument(specification, { source, nowMs });
    expect(listErrorPaths(errorMessages)).toEqual(['__proto__/toString', 'constructor']);
  });
});
