import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/language';
import { SourceSelection } from './SourceSelection.js';

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
});
