import { describe, expect, it } from 'vitest';
import { toTextLine } from './toTextLine.js';

const textOf = (fields: object) => toTextLine(`${JSON.stringify({ level: 30, time: 0, ...fields })}\n`);

describe('toTextLine', () => {
  it('is one line: time, level, message and values', () => {
    const line = textOf({ level: 40, msg: 'the disk is full', path: '/data', free: 0, by: 'a b' });
    expect(line).toMatch(/^\d\d:\d\d:\d\d warn  the disk is full path=\/data free=0 by="a b"\n$/);
  });

  it('shows the stack of an error below its message', () => {
    const stack = 'Error: broken\n    at open (file.js:1:1)';
    expect(textOf({ msg: 'failed', err: { message: 'broken', stack } })).toMatch(
      /failed error=broken\n {4}at open \(file\.js:1:1\)\n$/,
    );
  });

  it('writes control characters of a value as codes', () => {
    const line = textOf({ msg: 'denied\u001b[2J', id: 'a\u009b2Jb', name: '\nforged' });
    expect(line).toContain('denied\\u001b[2J');
    expect(line).toContain('id=a\\u009b2Jb');
    expect(line.trimEnd()).not.toContain('\n');
  });
});
