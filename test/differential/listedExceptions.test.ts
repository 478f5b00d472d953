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
    expect(applies('<em>new</em> mill', 'new <em>mill</em>')).toBe(false);
    expect(applies('<em>new] mill', 'new <em>mill]', { post_tags: [']'] })).toBe(false);
    expect(applies('n<em>ew</em>', '<em>ne</em>w')).toBe(false);
  });

  it('is told by other words of the same length in marks', () => {
    expect(applies('<em>mill</em> weir', '<em>café</em> old')).toBe(true);
    expect(applies('<em>mill</em> weir', '<em>race</em> <em>café</em> old')).toBe(false);
    expect(applies('<em>mill</em> weir', 'weir <em>mill</em>')).toBe(false);
  });
});

describe('prefixes-by-bytes', () => {
  const listed = LISTED_EXCEPTIONS.find(({ name }) => name === 'prefixes-by-bytes');
  const query = { match_phrase_prefix: { t: 'b a' } };
  const applies = (left: JsonObject, right: JsonObject, request: JsonObject = { query }) =>
    listed?.applies({
      kind: 'highlight',
      sides: 'embedded, server',
      left: { 'highlight of d1': left },
      right: { 'highlight of d1': right },
      request,
      mapping: {},
    });

  it('is told by letters beyond ASCII in what one side alone marks', () => {
    expect(applies({ t: ['<em>ab東</em>'] }, {})).toBe(true);
    expect(applies({}, { t: ['<em>Ã©</em>'] })).toBe(true);
    expect(applies({ t: ['<em>ab東</em> <em>a</em>'] }, { t: ['ab東 <em>a</em>'] })).toBe(true);
    expect(applies({ t: ['<em>ab東</em> <em>a</em>'] }, {})).toBe(false);
    expect(applies({ t: ['<em>ab東</em>'] }, {}, {})).toBe(false);
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

  it('is told by a lead of copies that one side alone shows, beside the same otherwise', () => {
    expect(applies({ t: ['a'] }, { copies: ['3.5'], t: ['a'] })).toBe(true);
    expect(applies({ t: ['a'] }, { copies: ['<em>3</em>'], t: ['a'] })).toBe(false);
    expect(applies({ t: ['a'] }, { copies: ['3.5'], t: ['b'] })).toBe(false);
  });
});

describe('highlight-of-what-cannot-match', () => {
  const listed = LISTED_EXCEPTIONS.find(({ name }) => name === 'highlight-of-what-cannot-match');

  it('is told by more marks of a raw search in text', () => {
    const [left, right] = ['new old', '<em>new</em> old'].map((t) => ({
      'highlight of d1.t': [t],
    }));
    const seen = { kind: 'highlight', left, right, mapping: {} };
    const raw = { ...seen, sides: 'embedded, raw server' as const };
    const request = { query: { query_string: { query: 'new' } } };
    expect(listed?.applies({ ...raw, request })).toBe(true);
    expect(listed?.applies({ ...raw, request, left: right, right: left })).toBe(false);
    expect(listed?.applies({ ...raw, request: { query: { match: { t: 'new' } } } })).toBe(false);
    expect(listed?.applies({ ...seen, request, sides: 'embedded, server' })).toBe(false);
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

describe('fragment-borders', () => {
  const listed = LISTED_EXCEPTIONS.find(({ name }) => name === 'fragment-borders');
  const whole = { number_of_fragments: 0, fields: {} };
  const nested = (highlight: JsonObject) => ({ nested: { inner_hits: { highlight } } });
  const applies = (kind: string, request: JsonObject) =>
    listed?.applies({ kind, sides: 'embedded, server', left: 1, right: 2, request, mapping: {} });

  it('is told by the highlight that made what differs', () => {
    const request = { highlight: whole, query: nested({ fields: {} }) };
    expect(applies('inner_hits.highlight', request)).toBe(true);
    expect(applies('highlight', request)).toBe(false);
    expect(applies('inner_hits.highlight', { highlight: {}, query: nested(whole) })).toBe(false);
    const aggs = { a: { aggs: { b: { top_hits: { highlight: { fields: {} } } } } } };
    expect(applies('aggregations.a.b.hits.hits.highlight', { highlight: whole, aggs })).toBe(true);
  });
});
