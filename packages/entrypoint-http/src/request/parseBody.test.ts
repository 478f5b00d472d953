import { MillraceError } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { parseBody, refusedMediaType } from './parseBody.js';

function problem(value: unknown): string {
  return value instanceof MillraceError ? `${value.status} ${value.message}` : 'accepted';
}

describe('parseBody (PROTO-21)', () => {
  it.each(['{"a": 1', "{'a': 1}", '{"a": 1,}', '{"a":1} x', '{"a": NaN}', ' ', '\u0000', '{"a":01}'])(
    'refuses the malformed JSON %j with 400',
    (text) => {
      expect(problem(parseBody(Buffer.from(text)))).toMatch(/^400 Not valid JSON: /);
    },
  );

  it.each([
    ['[1]', 'an array'],
    ['"a"', 'a string'],
    ['42', 'a number'],
    ['true', 'a boolean'],
  ])('refuses %s, which is no object', (text, kind) => {
    expect(problem(parseBody(Buffer.from(text)))).toBe(
      `400 Invalid request: the body must be a JSON object, it is ${kind}`,
    );
  });

  it('counts null as absent', () => {
    expect(parseBody(Buffer.from(' null '))).toEqual({ body: null, bytes: 0 });
  });

  it.each([
    [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d],
    [0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d],
    [0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d],
  ])('refuses bytes that are not UTF-8', (...bytes) => {
    expect(problem(parseBody(Buffer.from(bytes)))).toContain('not valid UTF-8');
  });

  it('takes 200 levels and refuses 201', () => {
    const nested = (levels: number) => Buffer.from(`{"deep":${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)}}`);
    expect(problem(parseBody(nested(200)))).toBe('accepted');
    expect(problem(parseBody(nested(201)))).toBe(
      "400 Invalid request: the body can't be taken: it is nested deeper than 200 levels",
    );
    expect(problem(parseBody(nested(200_000)))).toContain('deeper than 200 levels');
  });

  it('keeps __proto__ and constructor as plain data', () => {
    const parsed = parseBody(Buffer.from('{"__proto__":{"x":1},"constructor":{"prototype":2}}'));
    if (parsed instanceof MillraceError) throw parsed;
    expect(Object.keys(parsed.body ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.hasOwn({}, 'x')).toBe(false);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('takes a byte order mark', () => {
    expect(parseBody(Buffer.from('\ufeff{"a":"é"}'))).toEqual({ body: { a: 'é' }, bytes: 0 });
  });
});

describe('refusedMediaType (PROTO-21)', () => {
  it.each([
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"; x=y',
    'application/json; charset=utf8',
  ])('takes %s', (contentType) => {
    expect(refusedMediaType({ 'content-type': contentType })).toBeUndefined();
  });

  it.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'json', '', ';'])(
    'refuses content type %j with 415',
    (contentType) => {
      expect(refusedMediaType({ 'content-type': contentType })).toMatchObject({ status: 415 });
    },
  );

  it.each(['iso-8859-1', 'utf-16', '""', ''])('refuses charset %j with 400', (charset) => {
    const contentType = `application/json; charset=${charset}`;
    expect(refusedMediaType({ 'content-type': contentType })).toMatchObject({ status: 400 });
  });

  it.each(['gzip', 'br', 'identity, gzip'])('refuses content encoding %s with 415', (encoding) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    expect(refusedMediaType(headers)).toMatchObject({ status: 415 });
  });

  it('takes content encoding identity', () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'Identity' };
    expect(refusedMediaType(headers)).toBeUndefined();
  });
});
