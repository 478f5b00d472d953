import { MillraceError } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { parseTarget } from './parseTarget.js';

function segments(url: string): readonly string[] | string {
  const target = parseTarget(url);
  return target instanceof MillraceError ? target.message : target.segments;
}

describe('parseTarget', () => {
  it.each([
    ['/', []],
    ['/?a=1', []],
    ['/_now', ['_now']],
    ['/a/b%2Fc/_x', ['a', 'b%2Fc', '_x']],
    ['/a//b/', ['a', 'b', '']],
    ['/a/b//', ['a', 'b', '']],
    ['//a', ['a']],
    ['//', []],
    ['//api//1.0//a', ['a']],
    ['/api/1.0', []],
    ['/api/1.0/', []],
    ['/api/1.0/a/_list', ['a', '_list']],
    ['/api/1.1/a', ['api', '1.1', 'a']],
    ['/api', ['api']],
    ['/ms//a///b/', ['ms', 'a', 'b']],
    ['/api/1.0/ms//a', ['ms', 'a']],
    ['http://host:80/a/b', ['a', 'b']],
    ['HTTP://user@host', []],
    ['https://host?x=1', []],
  ])('takes %s apart', (url, expected) => {
    expect(segments(url)).toEqual(expected);
  });

  it('keeps the query as it is, from the first question mark on', () => {
    expect(parseTarget('/a?x=1?&y=%')).toMatchObject({ path: '/a', query: 'x=1?&y=%' });
  });

  it('knows the memory store below /ms alone', () => {
    expect(parseTarget('/ms/x')).toMatchObject({ isMemoryStore: true });
    expect(parseTarget('/api/1.0/ms')).toMatchObject({ isMemoryStore: true });
    expect(parseTarget('/msx/ms')).toMatchObject({ isMemoryStore: false });
  });

  it.each(['*', 'a/b', 'host:443', 'ftp://host/a', '', '/a#b', '/é', '/a b', '/a\u0000'])('refuses %j', (url) => {
    expect(parseTarget(url)).toMatchObject({ id: 'api.invalid_request', status: 400 });
  });
});
