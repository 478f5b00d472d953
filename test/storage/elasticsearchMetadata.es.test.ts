import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_DOCUMENT_METADATA, stampMetadata, type JsonObject, type StorageEngine } from '@millrace/kernel';
import { parseMapping, parseSearch } from '@millrace/query';
import type { ElasticsearchConfig } from '@millrace/storage-elasticsearch';
import { discard, hasElasticsearch, NODE, startEngine, testConfig } from './openElasticsearch.js';

const NAME = { index: 'shop', collection: 'things' };
const ANNA = { atMs: Date.UTC(2024, 1, 1), userId: 'anna' };

async function ask(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const response = await fetch(`${NODE}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as JsonObject;
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}

describe.skipIf(!hasElasticsearch())('metadata in server indexes of an earlier version (docs/decisions/0019)', () => {
  let config: ElasticsearchConfig;
  let engine: StorageEngine;

  beforeEach(async () => {
    config = testConfig();
    engine = await startEngine(config);
    await engine.createIndex(NAME.index);
    await engine.stop();
  });
  afterEach(() => discard(engine, config));

  /** As that version made it, with one document. */
  const createFormer = async () => {
    const alias = `${config.prefix}~shop~.things`;
    await ask('PUT', `/${alias}~~1`, {
      settings: { number_of_replicas: 0, 'mapping.total_fields.limit': 4 },
      mappings: {
        dynamic: 'strict',
        properties: {
          n: { type: 'integer' },
          _millrace: {
            properties: { v: { type: 'long', index: false }, id: { type: 'keyword' } },
          },
        },
      },
      aliases: { [alias]: {} },
    });
    await ask('PUT', `/${alias}~~1/_doc/old?refresh=true`, {
      _millrace: { v: 3, id: 'old' },
      n: 1,
    });
    return `${alias}~~1`;
  };
  const put = (id: string, n: number) =>
    engine.write([{ ...NAME, kind: 'put', id, source: { n }, condition: 'any' }], true, ANNA);
  const check = async () => {
    expect(await engine.read(NAME, 'old')).toEqual({
      id: 'old',
      version: 3,
      source: { n: 1 },
      meta: NO_DOCUMENT_METADATA,
    });
    expect(await put('new', 2)).toMatchObject([{ status: 'created' }]);
    const changed = { ...NO_DOCUMENT_METADATA, updatedAt: ANNA.atMs, updater: 'anna' };
    expect(await put('old', 3)).toMatchObject([{ status: 'replaced', version: 4, meta: changed }]);
    const { hits } = await engine.search(NAME, parseSearch({ sort: [{ '_meta.createdAt': 'desc' }] }));
    expect(hits).toMatchObject([
      { id: 'new', meta: stampMetadata(null, ANNA), sort: [ANNA.atMs] },
      { id: 'old', meta: changed, source: { n: 3 } },
    ]);
    expect(await engine.getMapping(NAME)).toEqual(
      parseMapping({ dynamic: 'strict', properties: { n: { type: 'integer' } } }),
    );
  };

  it('they get the fields at the start', async () => {
    const physical = await createFormer();
    engine = await startEngine(config);
    const mapping = JSON.stringify(await ask('GET', `/${physical}/_mapping`));
    expect(mapping).toContain('"_meta":{"properties":{"author":{"type":"keyword"}');
    await check();
  });

  it('those that an earlier version makes while this one runs get them once they are used', async () => {
    engine = await startEngine(config);
    await createFormer();
    expect(await engine.hasCollection(NAME)).toBe(true);
    await check();
  });
});
