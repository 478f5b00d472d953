import { describe, expect, it } from 'vitest';
import { decodeEntry, encodeEntry, type NodeMessage } from './wire.js';

const NODE = 'abcdef0123';
const messages: readonly NodeMessage[] = [
  { number: 7, topic: 'realtime.change', key: 'shop/things', body: '{"a":1}' },
  { number: 8, topic: '~beat', key: '', body: '' },
  { number: 9, topic: 'security.user', key: 'a b  c\n"ü"', body: '' },
];

describe('entries of the stream', () => {
  it('come back as they were, whatever keys and bodies hold', () => {
    expect(decodeEntry(encodeEntry(NODE, messages))).toEqual({ from: NODE, messages });
  });

  it.each([
    ['nothing', []],
    ['another name', ['x', NODE]],
    ['no sender', ['n']],
    ['a sender that is no node', ['n', '../x']],
    ['half a message', ['n', NODE, '1 a b']],
    ['a message without number', ['n', NODE, 'a b', '']],
    ['a number that is none', ['n', NODE, '1e9 a b', '']],
    ['a topic with odd signs', ['n', NODE, '1 a/b c', '']],
  ])('with %s are refused', (_, fields) => {
    expect(decodeEntry(fields)).toBeUndefined();
  });
});
