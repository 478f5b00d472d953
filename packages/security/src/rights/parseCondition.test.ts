import type { JsonObject, JsonValue } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import type { Condition } from './Condition.js';
import { parseCondition } from './parseCondition.js';

const parse = (when: unknown): Condition =>
  parseCondition({ when: when as JsonValue }, 'at', (message) => new Error(message));

const REQUEST: JsonObject = {
  controller: 'document',
  action: 'update',
  index: 'foo',
  collection: 'bar',
  _id: 'doc',
  body: { owner: 'ada', level: 3, tags: ['ada'] },
};
const USER: JsonObject = {
  _id: 'ada',
  profileIds: ['default'],
  level: 3,
  isStaff: true,
  place: null,
  address: { city: 'Graz' },
};

function holds(when: unknown, document: JsonObject | null = null, user = USER): boolean {
  return parse(when).holds({ request: REQUEST, user, document });
}

describe('a condition (SEC-15, SEC-16)', () => {
  it('is a filter over the request, the user and the document', () => {
    expect(holds({ equals: { 'request.action': 'update' } })).toBe(true);
    expect(holds({ in: { 'request.index': ['bar', 'baz'] } })).toBe(false);
    expect(holds({ and: [{ range: { 'user.level': { gte: 3 } } }, { exists: 'user._id' }] })).toBe(true);
    expect(holds({ regexp: { 'document.name': '^A' } }, { name: 'Ada' })).toBe(true);
    expect(holds({})).toBe(true);
  });

  it.each<[unknown, boolean]>([
    [{ equals: { 'request.body.owner': { $ref: 'user._id' } } }, true],
    [{ equals: { 'request._id': { $ref: 'user._id' } } }, false],
    [{ equals: { 'user.isStaff': { $ref: 'user.isStaff' } } }, true],
    [{ equals: { 'user.address.city': { $ref: 'user.address.city' } } }, true],
    [{ term: { 'request.body.owner': { $ref: 'user._id' } } }, true],
    [{ term: { 'request.body.owner': { value: { $ref: 'user._id' }, boost: 2 } } }, true],
    [{ in: { 'request.body.owner': ['eve', { $ref: 'user._id' }] } }, true],
    [{ terms: { 'request.body.owner': [{ $ref: 'user._id' }], boost: 1 } }, true],
    [{ range: { 'request.body.level': { gte: { $ref: 'user.level' } } } }, true],
    [{ range: { 'request.body.level': { gt: { $ref: 'user.level' } } } }, false],
    [{ range: { 'request.body.level': { gt: 1, lte: { $ref: 'user.level' } } } }, true],
    [{ range: { 'request.body.level': { gt: 1, lt: { $ref: 'user.level' } } } }, false],
    [{ bool: { must: { equals: { 'request.body.owner': { $ref: 'user._id' } } } } }, true],
    [{ bool: { must_not: [{ equals: { 'request.body.owner': { $ref: 'user._id' } } }] } }, false],
    [{ or: [{ nothing: {} }, { not: { equals: { 'request._id': { $ref: 'user._id' } } } }] }, true],
  ])('compares with another path: %j is %j', (when, expected) => {
    expect(holds(when)).toBe(expected);
  });

  it.each([
    ['absent', { equals: { 'request.body.owner': { $ref: 'user.nothing' } } }],
    ['null', { equals: { 'request.body.owner': { $ref: 'user.place' } } }],
    ['a list', { equals: { 'request.body.owner': { $ref: 'request.body.tags' } } }],
    ['an object', { equals: { 'request.body': { $ref: 'request.body' } } }],
    ['one of several and absent', { in: { 'request.body.owner': ['ada', { $ref: 'user.x' }] } }],
    ['no number for a range', { range: { 'user.level': { gte: { $ref: 'user._id' } } } }],
    ['of another type', { equals: { 'user.level': { $ref: 'user._id' } } }],
  ])('has a false leaf where the reference is %s', (_, leaf) => {
    expect(holds(leaf)).toBe(false);
    expect(holds({ not: leaf })).toBe(true);
  });

  it('is false where the field is absent and the reference too', () => {
    expect(holds({ equals: { 'user.x': { $ref: 'user.y' } } })).toBe(false);
  });

  it('takes an absent field and a user without the property as no match, whatever the prototype has', () => {
    expect(holds({ equals: { 'user.constructor.name': 'Object' } })).toBe(false);
    expect(holds({ exists: 'user.__proto__' })).toBe(false);
    expect(holds({ equals: { 'request._id': { $ref: 'user.toString' } } })).toBe(false);
  });

  it('takes a field that is named $ref as a field', () => {
    expect(holds({ equals: { $ref: 'x' } })).toBe(false);
  });

  it.each([
    [{ not: { equals: { 'document.owner': 'eve' } } }],
    [{ not: { missing: { field: 'document' } } }],
    [{ not: { equals: { 'user._id': { $ref: 'document.author' } } } }],
    [{ or: [{ exists: 'user._id' }, { range: { 'user.level': { gt: { $ref: 'document.n' } } } }] }],
  ])('a condition on the document is false without one, even where it would hold: %j', (when) => {
    expect(parse(when).mentionsDocument).toBe(true);
    expect(holds(when)).toBe(false);
    expect(holds(when, { owner: 'ada' })).toBe(true);
  });

  it('a condition that mentions no document says so', () => {
    for (const when of [{}, { exists: 'documents' }, { equals: { 'request.document': 1 } }]) {
      expect(parse(when).mentionsDocument).toBe(false);
    }
  });

  it.each([
    ['always', 'at.when: expected a filter, got "always"'],
    [null, 'at.when: expected a filter, got null'],
    [[], 'at.when: expected a filter, got an empty list'],
    [{ noSuchOperator: {} }, 'at.when: Invalid filter: unknown operator "noSuchOperator"'],
    [{ equals: { a: 1, b: 2 } }, 'expected exactly one field, got 2'],
    [{ and: [{}] }, 'expected exactly one operator, got none'],
    [{ equals: { '': { $ref: 'user._id' } } }, 'expected a field name, got an empty one'],
    [{ equals: { a: { $ref: 7 } } }, 'operator "equals", field "a": expected a value or {"$ref": "<path>"}'],
    [{ equals: { a: { $ref: '' } } }, 'a path of 1 to 512 characters'],
    [{ equals: { a: { $ref: 'b', or: 1 } } }, 'expected a value or {"$ref": "<path>"}'],
    [{ in: { a: { $ref: 'b' } } }, 'expected a list of values'],
    [{ regexp: { a: { $ref: 'b' } } }, 'unknown key "$ref"'],
    [{ regexp: { a: { value: { $ref: 'b' } } } }, 'expected a pattern'],
    [{ geoDistance: { a: { lat: { $ref: 'b' }, lon: 1 }, distance: '1km' } }, 'expected a point'],
    [{ range: { a: { gt: { $ref: 'b' }, gte: 1 } } }, 'give one of "gt" and "gte"'],
    [{ range: { a: { from: { $ref: 'b' } } } }, 'unknown key "from"'],
    [{ ids: { values: [{ $ref: 'b' }] } }, 'expected identifiers as strings'],
    [{ and: [{ not: { exists: { field: { $ref: 'b' } } } }] }, 'at and[0].not: expected {field'],
  ])('refuses %j', (when, message) => {
    expect(() => parse(when)).toThrow(message);
  });

  it('refuses other keys than when', () => {
    const refuse = (message: string) => new Error(message);
    expect(() => parseCondition({ when: {}, other: 1 }, 'at', refuse)).toThrow(
      'at.other is unknown: expected {when: filter} or {documents, check, fields}',
    );
    expect(() => parseCondition({ unless: {} }, 'at', refuse)).toThrow('at.unless is unknown');
  });

  it('holds to the limits of the filter language', () => {
    let deep: JsonObject = { equals: { a: { $ref: 'b' } } };
    for (let i = 0; i < 180; i++) deep = { not: deep };
    expect(() => parse(deep)).toThrow('nested more than 32 levels deep');
    const values = Array.from({ length: 1_024 }, (_, i) => i);
    expect(() => parse({ in: { a: [{ $ref: 'b' }, ...values] } })).toThrow('too many values: 1025');
    expect(() => parse({ in: { a: [7, ...values] } })).toThrow('too many values: 1025');
    const or = (i: number) => ({
      or: [{ equals: { [`a${i}`]: 1 } }, { equals: { [`b${i}`]: 1 } }],
    });
    expect(() => parse({ and: Array.from({ length: 257 }, (_, i) => or(i)) })).toThrow(
      'at.when: Filter too complex: more than 512 conditions after normalisation',
    );
  });
});
