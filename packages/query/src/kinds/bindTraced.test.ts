import type { JsonObject } from '@millrace/language';
import { describe, expect, it } from 'vitest';
import { compileMapping } from '../mapping/compileMapping.js';
import { mergeMapping } from '../mapping/mergeMapping.js';
import { parseMapping } from '../mapping/parseMapping.js';
import { parseQuery } from '../request/parseSearch.js';
import { bindQuery } from './bindQuery.js';
import { bindTraced, changedNames } from './bindTraced.js';
import { whyChanging } from './whyUndecidable.js';

const mapping = parseMapping({
  properties: {
    tag: { type: 'keyword' },
    title: { type: 'text' },
    when: { type: 'date' },
    items: { type: 'nested', properties: { name: { type: 'keyword' } } },
  },
});
const compiled = compileMapping(mapping);
const namesOf = (body: JsonObject) => bindTraced(parseQuery(body), compiled).names;
const merged = (properties: JsonObject) =>
  compileMapping(mergeMapping(mapping, parseMapping({ properties })), compiled);

describe('bindTraced', () => {
  it('names the fields that a query looked up, mapped or not', () => {
    expect(namesOf({ term: { tag: 'a' } })).toEqual(['tag']);
    expect(namesOf({ bool: { filter: [{ term: { size: 1 } }, { range: { when: { gt: 0 } } }] } })).toEqual(
      expect.arrayContaining(['size', 'when']),
    );
    const nested = { path: 'items', query: { term: { 'items.name': 'a' } } };
    expect(namesOf({ nested })).toEqual(expect.arrayContaining(['items', 'items.name']));
    expect(namesOf({ match_all: {} })).toEqual([]);
  });

  it('tells when a query looked through all fields', () => {
    expect(namesOf({ query_string: { query: 'a' } })).toBeNull();
    expect(namesOf({ multi_match: { query: 'a', fields: ['t*'] } })).toBeNull();
    expect(namesOf({ exists: { field: 'items' } })).toBeNull();
  });

  it('binds as bindQuery does', () => {
    const query = parseQuery({ query_string: { query: 'tag:a AND when:2024' } });
    expect(bindTraced(query, compiled).query).toEqual(bindQuery(query, compiled).query);
  });
});

describe('changedNames', () => {
  it('names what one mapping has otherwise than the other', () => {
    expect([...changedNames(compiled, merged({}))]).toEqual([]);
    expect([...changedNames(compiled, merged({ tag: { type: 'keyword', ignore_above: 9 } }))]).toEqual(['tag']);
    const raw = { title: { type: 'text', fields: { raw: { type: 'keyword' } } }, size: { type: 'long' } };
    expect([...changedNames(compiled, merged(raw))].sort()).toEqual(['size', 'title.raw']);
    const other = compileMapping(
      parseMapping({
        properties: {
          tag: { type: 'long' },
          when: { type: 'date', format: 'yyyy' },
          items: { properties: { name: { type: 'keyword' } } },
        },
      }),
      compiled,
    );
    expect([...changedNames(compiled, other)].sort()).toEqual(['items', 'items.name', 'tag', 'title', 'when']);
  });
});

describe('whyChanging', () => {
  const reasonOf = (body: JsonObject) => whyChanging(bindQuery(parseQuery(body), compiled).query);

  it.each<JsonObject>([
    { range: { when: { gte: 'now-1h' } } },
    { range: { when: { lt: 'now/d' } } },
    { term: { when: 'now' } },
    { terms: { when: ['2024-01-01', 'now-1d'] } },
    { match: { when: 'now' } },
    { query_string: { query: 'when:[now-1d TO *]' } },
    { bool: { must_not: { range: { when: { gte: 'now' } } } } },
  ])('refuses %j', (body) => {
    expect(reasonOf(body)).toMatch(/^now at query.* can't be decided on one document/);
  });

  it.each<JsonObject>([
    { range: { when: { gte: '2024-01-01||+1M/d' } } },
    { term: { tag: 'now' } },
    { terms: { tag: ['now'] } },
    { range: { tag: { gte: 'now' } } },
    { multi_match: { query: 'nowhere', fields: ['title', 'when'], lenient: true } },
  ])('accepts %j', (body) => {
    expect(reasonOf(body)).toBeNull();
  });
});
