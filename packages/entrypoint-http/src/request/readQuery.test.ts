import { describe, expect, it } from 'vitest';
import { readQuery } from './readQuery.js';

function read(query: string, isMemoryStore = false) {
  const fields: Record<string, unknown> = {};
  const fault = readQuery(query, isMemoryStore, fields);
  return fault === undefined ? fields : fault.message;
}

describe('readQuery (PROTO-23)', () => {
  it('decodes names and values once, and reads + as a space', () => {
    expect(read('a=1&b%20c=%252F+%2B&&d=x=y')).toEqual({ a: '1', 'b c': '%2F +', d: 'x=y' });
  });

  it('leaves numbers as text, for the action to judge', () => {
    expect(read('from=abc&size=0x10')).toEqual({ from: 'abc', size: '0x10' });
  });

  it.each(['from=', 'from', 'metadata=', 'requestId='])('counts %s as absent', (query) => {
    expect(read(query)).toEqual({});
  });

  it.each(['size=1&size=2', 'size=1&size=1', 'a=1&metadata=%7B%7D&metadata=%7B%7D'])(
    'refuses the repeated argument of %s by its name',
    (query) => {
      expect(read(query)).toMatch(/^Argument "(size|metadata)" is invalid: .* repeated/);
    },
  );

  it.each(['jwt=a.b.c', 'jwt=', 'x=1&jwt=a', 'j%77t=a'])('refuses a token in %s', (query) => {
    expect(read(query)).toContain('header Authorization');
  });

  it('refuses a body in the query string', () => {
    expect(read('body=%7B%7D')).toContain('"body"');
  });

  it.each(['a=%', 'a=%zz', '%f=1', 'a=%FF', 'a=%C0%80', 'a=%ED%A0%80'])(
    'refuses the malformed encoding of %s',
    (query) => {
      expect(read(query)).toContain('malformed percent-encoding');
    },
  );

  it('reads metadata as JSON, null as absent for the request', () => {
    expect(read(`metadata=${encodeURIComponent('{"a":[1,"é"]}')}`)).toEqual({
      metadata: { a: [1, 'é'] },
    });
    expect(read('metadata=null')).toEqual({ metadata: null });
  });

  it.each(['{oops', '', `${'['.repeat(300)}${']'.repeat(300)}`])(
    'refuses metadata that is no JSON or too deep: %s',
    (text) => {
      if (text !== '') expect(read(`metadata=${encodeURIComponent(text)}`)).toContain('"metadata"');
      else expect(read('metadata=%20')).toContain('"metadata"');
    },
  );

  it('ignores what only path, headers and body can set, and keeps prototypes alone', () => {
    const fields = read('controller=security&action=getUser&headers=x&__proto__=a&constructor=b');
    expect(fields).toEqual({ constructor: 'b' });
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  });

  it('MEM-6: repeated arguments are lists and empty values stay below /ms', () => {
    expect(read('keys=a&keys=&keys=c,d&value=', true)).toEqual({
      keys: ['a', '', 'c,d'],
      value: '',
    });
    expect(read('__proto__=a&__proto__=b', true)).toEqual({});
    expect(read('jwt=a', true)).toContain('header Authorization');
    expect(read('requestId=a&requestId=b', true)).toContain('"requestId"');
  });

  it('reads 8,000 repeated arguments in linear time', () => {
    expect(read('&a=1'.repeat(8_000), true)).toMatchObject({ a: { length: 8_000 } });
  });
});
