import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/language';
import { parseMapping } from './mapping/parseMapping.js';
import { compileMapping } from './mapping/compileMapping.js';
import { SourceSelection } from './SourceSelection.js';
import { toFieldSet } from './view/FieldSet.js';

const source = { item: 1, other: 2, items: [{ keyword: 'a', n: 1 }, { keyword: 'b' }], empty: [] };
const select = (includes: string[], excludes: string[] = []): JsonObject =>
  new SourceSelection({ enabled: true, includes, excludes }).select(source);

describe('SourceSelection', () => {
  it('keeps a star within one name of a path, as Elasticsearch does for whole documents', () => {
    expect(select(['*o*'])).toEqual({ other: 2 });
    expect(select(['*.keyword'])).toEqual({ items: [{ keyword: 'a' }, { keyword: 'b' }] });
    expect(select(['items.*'])).toEqual({ items: source.items });
  });
  it('lets a star span dots once an exclude has one', () => {
    expect(select(['*o*'], ['x*'])).toEqual({
      other: 2,
      items: [{ keyword: 'a' }, { keyword: 'b' }],
    });
  });
  it('drops what is empty from the lists that an exclude with a star goes through', () => {
    expect(select([], ['*.keyword'])).toEqual({ item: 1, other: 2, items: [{ n: 1 }], empty: [] });
    expect(select([], ['z*'])).toEqual(source);
  });
  it('drops objects that lose all they have to an exclude without a star', () => {
    expect(select([], ['items.keyword'])).toEqual({
      item: 1,
      other: 2,
      items: [{ n: 1 }],
      empty: [],
    });
  });

  describe('with a maximum length (SEARCH-6)', () => {
    const cut = (document: JsonObject, maxLength: number) =>
      new SourceSelection({ enabled: true, includes: [], excludes: [], maxLength }).show(document, null);

    it('cuts strings and lists wherever they are, so that what is longer has been cut', () => {
      const long = { text: 'abcdef', list: [1, 2, 3, 4, 5], inner: { texts: ['abcdef', { text: 'abcdef' }] } };
      expect(cut(long, 3)).toEqual({ text: 'abc…', list: [1, 2, 3, 4], inner: { texts: ['abc…', { text: 'abc…' }] } });
      expect(cut(long, 6)).toEqual(long);
      expect(cut({ n: 123_456, is: true, none: null, short: '', empty: [] }, 1)).toEqual({
        n: 123_456,
        is: true,
        none: null,
        short: '',
        empty: [],
      });
    });

    it('counts code points, and cuts no character in two', () => {
      const waves = '\u{1F30A}'.repeat(4);
      expect(cut({ waves }, 4)).toEqual({ waves });
      expect(cut({ waves }, 3)).toEqual({ waves: `${'\u{1F30A}'.repeat(3)}…` });
      expect(cut({ text: '\ud83cab' }, 2)).toEqual({ text: '\ud83ca…' });
    });

    it('gives hidden items of a list no place in it', () => {
      const mapping = compileMapping(parseMapping({}));
      const visible = toFieldSet({ except: ['list.secret'] }, mapping);
      const list = [{ secret: 1 }, { secret: 2 }, { n: 1 }, { n: 2 }];
      const selection = new SourceSelection({ enabled: true, includes: [], excludes: [], maxLength: 1 });
      expect(selection.show({ list }, visible)).toEqual({ list: [{ n: 1 }, { n: 2 }] });
    });

    it('keeps members of any name', () => {
      const document = JSON.parse('{"__proto__": "abc", "…": "abc"}') as JsonObject;
      expect(JSON.stringify(cut(document, 2))).toBe('{"__proto__":"ab…","…":"ab…"}');
    });
  });
});
