import type { JsonObject, JsonValue } from '@millrace/kernel';
import { path, type ElasticsearchClient } from '../client/ElasticsearchClient.js';
import { failureOf, type ElasticsearchErrorBody } from '../client/ElasticsearchFailure.js';

const PAGE_SIZE = 50;
const KEEP_ALIVE = '5m';

interface Page {
  readonly pit_id?: string;
  readonly hits: {
    readonly hits: readonly {
      readonly _id: string;
      readonly _source: JsonObject;
      readonly sort: readonly JsonValue[];
    }[];
  };
}

interface BulkAnswer {
  readonly items: readonly {
    readonly index: { readonly status: number; readonly error?: ElasticsearchErrorBody };
  }[];
}

/**
 * Copies all documents of an Elasticsearch index, with ours and their metadata, into an empty one.
 * @param withVectors asks for vectors, which the index may leave out of `_source`
 * @throws ElasticsearchFailure
 */
export async function copyIndex(
  elasticsearch: ElasticsearchClient,
  from: string,
  to: string,
  withVectors: boolean,
): Promise<void> {
  await elasticsearch.ask({ method: 'POST', path: path(from, '_refresh'), isSafe: true });
  const opened = await elasticsearch.ask<{ id: string }>({
    method: 'POST',
    path: path(from, '_pit'),
    query: { keep_alive: KEEP_ALIVE },
    isSafe: true,
  });
  let { id } = opened;
  try {
    for (let after: readonly JsonValue[] | undefined; ;) {
      const page: Page = await elasticsearch.ask<Page>({
        method: 'POST',
        path: '/_search',
        body: {
          pit: { id, keep_alive: KEEP_ALIVE },
          size: PAGE_SIZE,
          sort: ['_shard_doc'],
          track_total_hits: false,
          ...(withVectors ? { _source: { exclude_vectors: false } } : {}),
          ...(after === undefined ? {} : { search_after: after }),
        },
        isSafe: true,
      });
      id = page.pit_id ?? id;
      const { hits } = page.hits;
      if (hits.length === 0) break;
      after = hits.at(-1)?.sort;
      await put(elasticsearch, to, hits);
    }
    await elasticsearch.ask({ method: 'POST', path: path(to, '_refresh'), isSafe: true });
  } finally {
    await elasticsearch.find({ method: 'DELETE', path: '/_pit', body: { id }, isSafe: true });
  }
}

async function put(elasticsearch: ElasticsearchClient, to: string, documents: Page['hits']['hits']): Promise<void> {
  const { items } = await elasticsearch.ask<BulkAnswer>({
    method: 'POST',
    path: path(to, '_bulk'),
    body: documents.flatMap(({ _id, _source }) => [JSON.stringify({ index: { _id } }), JSON.stringify(_source)]),
    isSafe: true,
  });
  const failed = items.find(({ index }) => index.error !== undefined);
  if (failed !== undefined) throw failureOf(failed.index.status, failed.index.error);
}
