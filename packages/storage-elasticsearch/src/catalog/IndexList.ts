/*
 * Manages the indexes, which Elasticsearch has no notion of. One document lists them all with their settings. It is
 * read in real time and changed by a conditional write, so that nodes agree and an index without collections exists
 * too. Each node caches the list for a second; a name missing from the cache is looked up again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { storageErrors, type IndexSettings } from '@millrace/kernel';
import type { ElasticsearchNames } from '../names/ElasticsearchNames.js';
import { path, type ElasticsearchClient } from '../client/ElasticsearchClient.js';
import { ElasticsearchFailure, toUnavailable } from '../client/ElasticsearchFailure.js';

const FRESH_MS = 1_000;
const MAX_TRIES = 50;
const DOCUMENT = 'indexes';

type Indexes = ReadonlyMap<string, IndexSettings>;

interface StoredList {
  readonly _seq_no: number;
  readonly _primary_term: number;
  readonly _source: {
    readonly indexes: readonly { readonly name: string; readonly autoRefresh: boolean }[];
  };
}

/** The catalog of indexes. */
export class IndexList {
  private known: { readonly indexes: Indexes; readonly atMs: number } | undefined;
  private epoch = 0;

  constructor(
    private readonly elasticsearch: ElasticsearchClient,
    private readonly names: ElasticsearchNames,
  ) {}

  /** Creates the Elasticsearch index that holds the list, if it is absent. */
  async prepare(replicas: number): Promise<void> {
    const { catalog } = this.names;
    const target = path(catalog);
    if ((await this.elasticsearch.find({ method: 'GET', path: target, isSafe: true })) !== null) return;
    try {
      await this.elasticsearch.ask({
        method: 'PUT',
        path: target,
        body: {
          settings: { number_of_shards: 1, number_of_replicas: replicas },
          mappings: { dynamic: false, properties: {} },
        },
        isSafe: true,
      });
    } catch (error) {
      // Another node created it first.
      const isThere = error instanceof ElasticsearchFailure && error.type === 'resource_already_exists_exception';
      if (!isThere) throw error;
    }
  }

  /** Discards the cached list, and the results of reads in progress. */
  forget(): void {
    this.known = undefined;
    this.epoch++;
  }

  /** Reads the current list. */
  async read(): Promise<Indexes> {
    return (await this.load()).indexes;
  }

  /** @returns undefined if there is no such index */
  async find(index: string): Promise<IndexSettings | undefined> {
    const { known } = this;
    const settings = known?.indexes.get(index);
    const isFresh = known !== undefined && performance.now() - known.atMs < FRESH_MS;
    if (settings !== undefined && isFresh) return settings;
    return (await this.read()).get(index);
  }

  /** @throws storage.index_not_found */
  async get(index: string): Promise<IndexSettings> {
    const settings = await this.find(index);
    if (settings === undefined) throw storageErrors.index_not_found({ index });
    return settings;
  }

  /** Adds an index if it is absent. @returns whether it was absent */
  async add(index: string): Promise<boolean> {
    let isNew = true;
    await this.change((indexes) => {
      isNew = !indexes.has(index);
      return isNew ? new Map([...indexes, [index, { autoRefresh: false }]]) : indexes;
    });
    return isNew;
  }

  /** @throws storage.index_not_found */
  async set(index: string, settings: IndexSettings): Promise<void> {
    await this.change((indexes) => {
      if (!indexes.has(index)) throw storageErrors.index_not_found({ index });
      return new Map([...indexes, [index, settings]]);
    });
  }

  /** @throws storage.index_not_found */
  async remove(index: string): Promise<void> {
    await this.change((indexes) => {
      if (!indexes.has(index)) throw storageErrors.index_not_found({ index });
      return new Map([...indexes].filter(([name]) => name !== index));
    });
  }

  private async load() {
    const { epoch } = this;
    const stored = await this.elasticsearch.find<StoredList>({
      method: 'GET',
      path: path(this.names.catalog, '_doc', DOCUMENT),
      isSafe: true,
    });
    const entries = (stored?._source.indexes ?? []).map(({ name, autoRefresh }) => [name, { autoRefresh }] as const);
    const indexes: Indexes = new Map(entries);
    if (epoch === this.epoch) this.known = { indexes, atMs: performance.now() };
    return { indexes, stored };
  }

  /** @param next returns the same map if nothing changes */
  private async change(next: (indexes: Indexes) => Indexes): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const { indexes, stored } = await this.load();
      const changed = next(indexes);
      if (changed === indexes) return;
      const condition: Record<string, string | number> =
        stored === null ? { op_type: 'create' } : { if_seq_no: stored._seq_no, if_primary_term: stored._primary_term };
      try {
        const list = [...changed].map(([name, { autoRefresh }]) => ({ name, autoRefresh }));
        await this.elasticsearch.ask({
          method: 'PUT',
          path: path(this.names.catalog, '_doc', DOCUMENT),
          query: { ...condition, refresh: false },
          body: { indexes: list },
          isSafe: false,
        });
        this.known = { indexes: changed, atMs: performance.now() };
        return;
      } catch (error) {
        const lostRace = error instanceof ElasticsearchFailure && error.status === 409;
        if (!lostRace) throw error;
        if (tries >= MAX_TRIES) throw toUnavailable(error);
        await sleep(Math.random() * 20);
      }
    }
  }
}
