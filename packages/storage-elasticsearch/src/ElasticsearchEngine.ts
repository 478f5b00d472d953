import { setTimeout as sleep } from 'node:timers/promises';
import {
  silentLogger,
  storageErrors,
  withoutLogins,
  type CollectionName,
  type CopyableEngine,
  type DocumentCopy,
  type EngineDescription,
  type IndexSettings,
  type ReadOptions,
  type ScannedDocument,
  type SearchCursor,
  type SearchOptions,
  type SearchOutcome,
  type StoredDocument,
  type StoredText,
  type WriteOperation,
  type WriteOutcome,
  type WriteStamp,
} from '@millrace/kernel';
import { EVERY_DOCUMENT, type Mapping, type Query, type SearchRequest } from '@millrace/query';
import type { ElasticsearchEngineOptions } from './createElasticsearchEngine.js';
import { ElasticsearchServices } from './ElasticsearchServices.js';
import { toElasticsearchFailure, ElasticsearchFailure, toUnavailable } from './client/ElasticsearchFailure.js';
import { warnOfSingleCopies } from './client/warnOfSingleCopies.js';
import { withoutMetadata } from './search/ElasticsearchHit.js';
import { readDocuments } from './writes/readDocuments.js';

const START_PAUSE_MS = 500;

interface ElasticsearchInfo {
  readonly version: { readonly number: string };
}

/**
 * The distributed storage engine, on Elasticsearch 8 or 9: one Elasticsearch index per collection behind an alias,
 * versions stored in the documents, optimistic concurrency by Elasticsearch's sequence numbers. Several nodes may share
 * one cluster. `StorageEngine` documents the methods.
 */
export class ElasticsearchEngine implements CopyableEngine {
  readonly isShared = true;
  private services: ElasticsearchServices | undefined;
  private stateText = 'the storage engine is not started';
  private elasticsearchVersion = '';
  /** The changes that run. */
  private readonly changes = new Set<Promise<unknown>>();

  constructor(private readonly options: ElasticsearchEngineOptions) {}

  /** Waits for Elasticsearch for up to `startTimeoutMs`. @throws storage.unavailable naming the address */
  async start(): Promise<void> {
    if (this.services !== undefined) return;
    const { config, logger } = this.options;
    if (config.node === '') {
      throw storageErrors.unavailable({
        reason: 'configuration storage.elasticsearch.node is empty: expected the address of Elasticsearch',
      });
    }
    const services = new ElasticsearchServices(config, logger ?? silentLogger);
    if (!config.tlsRejectUnauthorized) {
      logger?.warn(
        { node: withoutLogins(config.node) },
        'storage.elasticsearch.tlsRejectUnauthorized is false: anyone on the network path can read and change everything',
      );
    }
    try {
      this.elasticsearchVersion = await this.waitForElasticsearch(services);
      await services.indexes.prepare(config.replicas);
      await services.collections.prepare(this.elasticsearchVersion);
      await warnOfSingleCopies(services.elasticsearch, config.replicas, logger ?? silentLogger);
      services.elasticsearch.watch();
      this.services = services;
    } catch (error) {
      await services.elasticsearch.close();
      throw toOutside(error);
    }
  }

  async stop(): Promise<void> {
    const { services } = this;
    this.services = undefined;
    this.stateText = 'the storage engine is stopped';
    await services?.elasticsearch.close();
  }

  describe(): EngineDescription {
    return {
      type: 'elasticsearch',
      version: this.elasticsearchVersion,
      mode: 'cluster',
      memoryUsed: null,
      memoryPeak: null,
    };
  }

  ping(): Promise<void> {
    return this.run(async ({ elasticsearch }) => {
      await elasticsearch.ask({ method: 'GET', path: '/', isSafe: true, timeoutMs: 3_000 });
    });
  }

  forget(index?: string): void {
    this.services?.indexes.forget();
    this.services?.collections.forget(index);
  }

  listIndexes(): Promise<readonly string[]> {
    return this.run(async ({ indexes }) => [...(await indexes.read()).keys()].sort());
  }

  hasIndex(index: string): Promise<boolean> {
    return this.run(async ({ indexes }) => (await indexes.find(index)) !== undefined);
  }

  createIndex(index: string): Promise<void> {
    return this.change(async ({ indexes, names }) => {
      names.alias({ index, collection: '' });
      if (!(await indexes.add(index))) throw storageErrors.index_exists({ index });
    });
  }

  deleteIndex(index: string): Promise<void> {
    return this.change(({ collections }) => collections.removeIndex(index));
  }

  getIndexSettings(index: string): Promise<IndexSettings> {
    return this.run(({ indexes }) => indexes.get(index));
  }

  setIndexSettings(index: string, { autoRefresh }: IndexSettings): Promise<void> {
    return this.change(({ indexes }) => indexes.set(index, { autoRefresh }));
  }

  listCollections(index: string): Promise<readonly string[]> {
    return this.run(({ collections }) => collections.list(index));
  }

  hasCollection(name: CollectionName): Promise<boolean> {
    return this.run(({ collections }) => collections.has(name));
  }

  createCollection(name: CollectionName, mapping: Mapping): Promise<boolean> {
    return this.change(({ collections }) => collections.create(name, mapping));
  }

  deleteCollection(name: CollectionName): Promise<void> {
    return this.change(({ collections }) => collections.remove(name));
  }

  truncate(name: CollectionName): Promise<void> {
    return this.change(({ collections }) => collections.truncate(name));
  }

  getMapping(name: CollectionName): Promise<Mapping> {
    return this.run(async ({ collections }) => (await collections.get(name)).mapping);
  }

  updateMapping(name: CollectionName, update: Mapping): Promise<void> {
    return this.change(({ collections }) => collections.updateMapping(name, update));
  }

  async read(name: CollectionName, id: string): Promise<StoredDocument | null> {
    const [document] = await this.readMany(name, [id]);
    return document ?? null;
  }

  readMany(
    name: CollectionName,
    ids: readonly string[],
    options?: ReadOptions,
  ): Promise<readonly (StoredDocument | null)[]> {
    return this.run(async ({ elasticsearch, names }) => {
      const alias = names.alias(name);
      const addresses = ids.map((id) => ({ alias, id }));
      const found = await readDocuments(elasticsearch, addresses, true, options);
      return found.map((document, i) => {
        if (document === null) return null;
        if (document instanceof ElasticsearchFailure) {
          if (document.isMissingIndex) return null;
          throw document;
        }
        const { version, meta, source } = document;
        return { id: ids[i] ?? '', version, source: withoutMetadata(source), meta };
      });
    });
  }

  write(operations: readonly WriteOperation[], refresh: boolean, stamp?: WriteStamp): Promise<readonly WriteOutcome[]> {
    return this.change(({ writer }) => writer.write(operations, refresh, stamp));
  }

  /** As of one moment, after all earlier writes. */
  async *pages(name: CollectionName): AsyncGenerator<readonly StoredText[]> {
    for await (const found of this.scan(name, EVERY_DOCUMENT)) {
      const texts = await this.readTexts(
        name,
        found.map(({ id }) => id),
      );
      yield texts.filter((text) => text !== null);
    }
  }

  async readTexts(name: CollectionName, ids: readonly string[]): Promise<readonly (StoredText | null)[]> {
    const documents = await this.readMany(name, ids);
    return documents.map((each) => each && { ...each, json: JSON.stringify(each.source) });
  }

  copy(copies: readonly DocumentCopy[]): Promise<readonly WriteOutcome[]> {
    return this.run(({ writer }) => writer.copy(copies));
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.changes);
  }

  bulkLoad(isOn: boolean): Promise<void> {
    return this.run(({ collections }) => collections.bulkLoad(isOn));
  }

  /** @returns the number of refreshed shards */
  refresh(index: string): Promise<number> {
    return this.run(async ({ indexes, names, elasticsearch }) => {
      await indexes.get(index);
      const answer = await elasticsearch.ask<{ _shards: { successful: number } }>({
        method: 'POST',
        path: `/${names.pattern(index)}/_refresh`,
        query: { ignore_unavailable: true, allow_no_indices: true },
        isSafe: true,
      });
      return answer._shards.successful;
    });
  }

  search(name: CollectionName, request: SearchRequest, options?: SearchOptions): Promise<SearchOutcome> {
    return this.run(({ search }) => search.search(name, request, options));
  }

  count(name: CollectionName, query: Query, options?: SearchOptions): Promise<number> {
    return this.run(({ search }) => search.count(name, query, options));
  }

  openCursor(name: CollectionName, request: SearchRequest): Promise<SearchCursor> {
    return this.run(({ search }) => search.openCursor(name, request));
  }

  async *scan(name: CollectionName, query: Query, options?: SearchOptions): AsyncGenerator<readonly ScannedDocument[]> {
    yield* this.opened().search.scan(name, query, options);
  }

  /** Runs an engine operation and converts Elasticsearch failures to the errors of the contract. */
  private async run<T>(work: (services: ElasticsearchServices) => Promise<T>): Promise<T> {
    const services = this.opened();
    try {
      return await work(services);
    } catch (error) {
      throw toOutside(error);
    }
  }

  private change<T>(work: (services: ElasticsearchServices) => Promise<T>): Promise<T> {
    const change = this.run(work).finally(() => this.changes.delete(change));
    this.changes.add(change);
    return change;
  }

  private opened(): ElasticsearchServices {
    if (this.services === undefined) throw storageErrors.unavailable({ reason: this.stateText });
    return this.services;
  }

  private async waitForElasticsearch({ elasticsearch }: ElasticsearchServices): Promise<string> {
    const { config, logger } = this.options;
    const giveUpAtMs = performance.now() + config.startTimeoutMs;
    for (let isFirst = true; ; isFirst = false) {
      try {
        const info = await elasticsearch.ask<ElasticsearchInfo>({
          method: 'GET',
          path: '/',
          isSafe: true,
          timeoutMs: Math.min(config.requestTimeoutMs, config.startTimeoutMs),
        });
        return assertVersion(info.version.number);
      } catch (error) {
        const failure = toElasticsearchFailure(error);
        if (!failure.isPassing || performance.now() + START_PAUSE_MS > giveUpAtMs) throw error;
        if (isFirst) {
          logger?.warn({ node: withoutLogins(config.node), reason: failure.reason }, 'waiting for Elasticsearch');
        }
        await sleep(START_PAUSE_MS);
      }
    }
  }
}

function assertVersion(version: string): string {
  const major = Number.parseInt(version, 10);
  if (major === 8 || major === 9) return version;
  throw storageErrors.unavailable({
    reason: `Elasticsearch ${version} is not supported: expected version 8 or 9`,
  });
}

function toOutside(error: unknown): unknown {
  return error instanceof ElasticsearchFailure ? toUnavailable(error) : error;
}
