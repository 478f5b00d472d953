import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { LISTED_EXCEPTIONS } from './listedExceptions.js';

const PAGE = new URL('../../docs/reference/engine-differences.md', import.meta.url);

describe('docs/reference/engine-differences.md', () => {
  it('has a row with a reason for each listed exception, and no other row', () => {
    const rows = readFileSync(PAGE, 'utf8').matchAll(
      /^\| `([a-z0-9-]+)` \| (?:both|raw) \| [^|]{20,} \| [^|]{10,} \|$/gm,
    );
    const documented = Array.from(rows, ([, name]) => name);
    expect(documented).toEqual(LISTED_EXCEPTIONS.map(({ name }) => name));
  });
});

describe('offsets-of-nested-lists', () => {
  const listed = LISTED_EXCEPTIONS.find(({ name }) => name === 'offsets-of-nested-lists');
  const applies = (left: string, right: string, highlight: JsonObject = {}) =>
    listed?.applies({
      kind: 'highlight',
      sides: 'embedded, server',
      left: { 'highlight of d1.t': [left] },
      right: { 'highlight of d1.t': [right] },
      request: { highlight },
      mapping: { properties: { t: { type: 'text', index_options: 'offsets' } } },
    });

  it('is told by parts of words in marks, whatever the tags', () => {
    expect(applies('<em>new</em> old', 'n<em>ew </em>old')).toBe(true);
    expect(applies('<em>new] old', 'n<em>ew ]old', { post_tags: [']'] })).toBe(true);
    expect(applies('[new</b> old', 'n[ew </b>old', { pre_tags: '[', post_tags: '</b>' })).toBe(
      true,
    );
    expect(applies('<em>new</em> old', 'new <em>old</em>')).toBe(false);
    expect(applies('<em>new] old', 'new <em>old]', { post_tags: [']'] })).toBe(false);
    expect(applies('n<em>ew</em>', '<em>ne</em>w')).toBe(false);
  });
});

describe('highlight-of-numbers', () => {
  const listed = LISTED_EXCEPTIONS.find(({ name }) => name === 'highlight-of-numbers');
  const applies = (kind: string, left: unknown, right: unknown) =>
    listed?.applies({ kind, sides: 'embedded, server', left, right, request: {}, mapping: {} });

  it('is told by fields of numbers that the server shows besides, also of top_hits', () => {
    const marks = (fields: JsonObject) => ({ 'highlight of d1': fields });
    const inside = (fields: JsonObject) => ({ 'aggregations.a.hits.hits': marks(fields) });
    expect(applies('highlight', marks({}), marks({ date1: ['2024'] }))).toBe(true);
    const deeper = 'aggregations.a.hits.hits.highlight';
    expect(applies(deeper, inside({}), inside({ date1: ['2024'] }))).toBe(true);
    expect(applies(deeper, inside({}), inside({ text1: ['2024'] }))).toBe(false);
    expect(applies(deeper, inside({ date1: ['2024'] }), inside({}))).toBe(false);
    const values = (list: string[]) => ({ 'highlight of d1.date1': list });
    expect(applies('highlight', values(['2023']), values(['2024']))).toBe(false);
  });
});

describe('order-of-copied-values', () => {
  const listed = LISTED_EXCEPTIONS.find(({ name }) => name === 'order-of-copied-values');
  const applies = (left: JsonObject, right: JsonObject) =>
    listed?.applies({
      kind: 'highlight',
      sides: 'embedded, server',
      left: { 'highlight of d1': left },
      right: { 'highlight of d1': right },
      request: {},
      mapping: {},
    });

  it('is told where one side shows nothing of the copies and the rest is the same', () => {
    expect(applies({ text: ['a'], copies: ['1'] }, { text: ['a'] })).toBe(true);
    expect(applies({ text: ['a'], copies: ['1'] }, { text: ['b'] })).toBe(false);
    expect(applies({ text: ['a'] }, {})).toBe(false);
  });
});
