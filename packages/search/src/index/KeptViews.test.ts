import { NO_DOCUMENT_METADATA } from '@millrace/kernel';
import { compileMapping, parseMapping } from '@millrace/query';
import { describe, expect, it } from 'vitest';
import type { TermField } from '../fields/TermField.js';
import { CollectionIndex } from './CollectionIndex.js';
import { DocumentIndexer } from './DocumentIndexer.js';

const COUNT = 40_000;
const mapping = compileMapping(parseMapping({ properties: { tag: { type: 'keyword' } } }));

function add(index: CollectionIndex, row: number): void {
  const source = { tag: `t${row % 1_000}` };
  new DocumentIndexer(index).add(row, { id: `d${row}`, source, meta: NO_DOCUMENT_METADATA });
  index.seal();
}

function filled(): CollectionIndex {
  const index = new CollectionIndex(mapping, 0);
  for (let row = 1; row <= COUNT; row += 1) add(index, row);
  return index;
}

/** Counts how often the documents of a view are looked for. */
function finder(slots: Int32Array) {
  const made = {
    count: 0,
    find: () => {
      made.count += 1;
      return slots;
    },
  };
  return made;
}

describe('KeptViews', () => {
  it('builds a view once, until the index changes', () => {
    const index = filled();
    const find = () => Int32Array.of(1, 2, 3);
    const view = index.views.viewOf('a', find);
    expect(index.views.viewOf('a', find)).toBe(view);
    expect(index.views.viewOf('b', find)).not.toBe(view);
    index.killSlot(2);
    expect(index.views.viewOf('a', find)).not.toBe(view);
    const killed = index.views;
    add(index, COUNT + 1);
    expect(index.views).not.toBe(killed);
    const added = index.views;
    index.setMapping(mapping, 1);
    expect(index.views).not.toBe(added);
  });

  it('keeps the views used last, within a part of the memory of the index', () => {
    const index = filled();
    const most = 64 * COUNT;
    const first = finder(Int32Array.from({ length: COUNT }, (_, slot) => slot));
    const { views } = index;
    for (let user = 0; user < 100; user += 1) {
      views.viewOf('first', first.find);
      views.viewOf(`user ${user}`, () => Int32Array.of(user));
      expect(views.byteLength).toBeLessThanOrEqual(most);
    }
    expect(first.count).toBe(1);
    expect(index.byteLength).toBeGreaterThan(views.byteLength);
    const again = finder(Int32Array.of(0));
    views.viewOf('user 0', again.find);
    expect(again.count).toBe(1);
  });

  it('counts the lists that searches read', () => {
    const index = filled();
    const all = Int32Array.from({ length: COUNT }, (_, slot) => slot);
    const view = index.views.viewOf('all', () => all);
    const field = view.indexOf(mapping.fields.get('tag') as never) as TermField;
    const before = index.views.byteLength;
    expect(field.postings.list(5).slots).toHaveLength(COUNT / 1_000);
    expect(index.views.byteLength).toBeGreaterThan(before);
    for (let user = 0; user < 100; user += 1) index.views.viewOf(`user ${user}`, () => all);
    expect(index.views.byteLength).toBeLessThanOrEqual(64 * COUNT);
    expect(index.views.viewOf('all', () => all)).not.toBe(view);
  });
});
