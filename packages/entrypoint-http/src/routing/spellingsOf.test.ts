import { describe, expect, it } from 'vitest';
import { spellingsOf } from './spellingsOf.js';

describe('spellingsOf', () => {
  it.each([
    ['/users/:_id', ['/users/:_id', '/_users/:_id']],
    ['/_profiles/:_id/_rights', ['/_profiles/:_id/_rights', '/profiles/:_id/_rights']],
    ['/roles/_search', ['/roles/_search', '/_roles/_search']],
    ['/_mDelete', ['/_mDelete', '/_mdelete']],
    ['/:index/:collection/_mDelete', ['/:index/:collection/_mDelete', '/:index/:collection/_mdelete']],
    ['/:index/:collection/:_id', ['/:index/:collection/:_id']],
    ['/ms/users', ['/ms/users']],
    ['/', ['/']],
  ])('PROTO-28: %s answers under %j', (path, spellings) => {
    expect(spellingsOf(path)).toEqual(spellings);
  });
});
