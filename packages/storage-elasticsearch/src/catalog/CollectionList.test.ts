import { describe, expect, it } from 'vitest';
import { ElasticsearchFailure } from '../client/ElasticsearchFailure.js';

import type { ElasticsearchRequest } from '../client/ElasticsearchClient.js';
import { ElasticsearchNames } from '../names/ElasticsearchNames.js';
import { CollectionList, type CollectionListParts } from './CollectionList.js';
import { MAPPING_ADDITIONS } from './elasticsearchMapping.js';

const THINGS = { index: 'shop', collection: 'things' };

/** The collections of an Elasticsearch that doesn't put an alias on another index: `status` is its answer, 0 if there is none. */
function open(status: number) {
  const names = new ElasticsearchNames('test');
  const deleted: string[] = [];
  const ask = async ({ method, path }: ElasticsearchRequest) => {
    if (path === '/_aliases') throw new ElasticsearchFailure(status, 'test', 'test', true);
    if (method === 'DELETE') deleted.push(path);
    if (method === 'GET') return { [names.generation(THINGS, 1)]: { mappings: MAPPING_ADDITIONS } };
    return {};
  };
  const config = { shards: 1, replicas: 0, refreshIntervalMs: 1_000 };
  const parts = { elasticsearch: { ask, find: ask }, names, indexes: {}, config };
  const collections = new CollectionList(parts as unknown as CollectionListParts);
  return { collections, deleted };
}

describe('a truncate', () => {
  it('keeps the empty index if Elasticsearch does not answer: the alias may lead to it', async () => {
    const { collections, deleted } = open(0);
    await expect(collections.truncate(THINGS)).rejects.toThrow('test');
    expect(deleted).toEqual([]);
  });

  it('removes the empty index if Elasticsearch refuses the alias', async () => {
    const { collections, deleted } = open(400);
    await expect(collections.truncate(THINGS)).rejects.toThrow('test');
    expect(deleted).toHaveLength(1);
  });
});
