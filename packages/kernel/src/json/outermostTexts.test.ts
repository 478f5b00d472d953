import { describe, expect, it } from 'vitest';
import { outermostTexts } from './outermostTexts.js';

const read = (text: string) => ({ ...outermostTexts(Buffer.from(text)) });

describe('outermostTexts', () => {
  it('reads the strings next to nested values, whatever brackets and quotes they contain', () => {
    const nested = `${'{"a":['.repeat(300)}"}]\\""${']}'.repeat(300)}`;
    const message = `{"requestId":"a \\"{[é","body":${nested},"list":[${nested},1],"from":3,"action":"get"}`;
    expect(read(message)).toEqual({ requestId: 'a "{[é', action: 'get' });
  });

  it.each(['', '[["requestId"]]', '"requestId"', '{"requestId":"a"', '{"a":{}}}', ']]]{"a":"b"', '{"a":"'])(
    '%s has none',
    (text) => {
      expect(read(text)).toEqual({});
    },
  );

  it('a name of the prototype is plain data', () => {
    const texts = outermostTexts(Buffer.from('{"__proto__":"x","body":[]}'));
    expect(Object.entries(texts)).toEqual([['__proto__', 'x']]);
  });

  it('a megabyte of brackets is passed over', () => {
    const half = 500_000;
    const message = `{"requestId":"r","body":${'['.repeat(half)}${']'.repeat(half)}}`;
    expect(read(message)).toEqual({ requestId: 'r' });
  });
});
