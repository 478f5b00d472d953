import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { parseMapping, toMappingBody } from '@millrace/query';
import { fromServerMapping, toServerMapping } from './elasticsearchMapping.js';

const given: JsonObject = {
  dynamic: 'strict',
  date_detection: false,
  properties: {
    zebra: { type: 'keyword', index: true },
    apple: { type: 'text', boost: 2, fields: { raw: { type: 'keyword', ignore_above: 9 } } },
    author: { dynamic: false, properties: { name: { type: 'text' } } },
  },
};

describe('mappings in Elasticsearch', () => {
  it('come back as they were given, though Elasticsearch drops defaults and sorts', () => {
    const sent = toServerMapping(parseMapping(given));
    const kept = {
      dynamic: 'strict',
      date_detection: false,
      _meta: sent['_meta'] as JsonObject,
      properties: {
        _millrace: { properties: {} },
        apple: { type: 'text', fields: { raw: { type: 'keyword', ignore_above: 9 } } },
        author: { dynamic: 'false', properties: { name: { type: 'text' } } },
        zebra: { type: 'keyword' },
      },
    };
    expect(toMappingBody(fromServerMapping(kept))).toEqual(toMappingBody(parseMapping(given)));
  });

  it('go without parameters that servers refuse', () => {
    const { properties } = toServerMapping(parseMapping(given)) as { properties: JsonObject };
    expect(properties['apple']).not.toHaveProperty('boost');
  });

  it('go without doc values of binary content, which are not searchable, and come back with them', () => {
    const mapping = parseMapping({ properties: { b: { type: 'binary', doc_values: true } } });
    const sent = toServerMapping(mapping);
    expect((sent['properties'] as JsonObject)['b']).toEqual({ type: 'binary' });
    expect(toMappingBody(fromServerMapping(sent))).toEqual(toMappingBody(mapping));
  });

  it('show the fields that documents have added', () => {
    const sent = toServerMapping(parseMapping({ properties: { a: { type: 'keyword' } } }));
    const properties = { ...(sent['properties'] as JsonObject), b: { type: 'long' } };
    expect(toMappingBody(fromServerMapping({ ...sent, properties }))).toEqual({
      properties: { a: { type: 'keyword' }, b: { type: 'long' } },
    });
  });

  it('are those of Elasticsearch where the ones given do not fit them any more', () => {
    const sent = toServerMapping(parseMapping({ properties: { a: { type: 'keyword' } } }));
    const mapping = fromServerMapping({ ...sent, properties: { a: { type: 'long' } } });
    expect(toMappingBody(mapping)).toEqual({ properties: { a: { type: 'long' } } });
  });
});
