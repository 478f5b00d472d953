/*
 * Manages collections. Each is an alias over one Elasticsearch index, so that a truncate replaces the full index by an
 * empty one in one step, whatever its size. Mappings are stored only in Elasticsearch. A mapping that was read is
 * cached briefly and dropped at each write of this node, because writes may add fields.
 */
import {
  retryOnConflict,
  storageErrors,
  type CollectionName,
  type JsonObject,
  type Logger,
  type MillraceError,
} from '@millrace/kernel';
import { compileMapping, MappingError, mergeMapping, type Mapping } from '@millrace/query';
import type { ElasticsearchConfig } from '../ElasticsearchConfig.js';
import type { ElasticsearchNames } from '../names/ElasticsearchNames.js';
import { path, type ElasticsearchClient } from '../client/ElasticsearchClient.js';
import { present } from '../query/present.js';
import { METADATA_FIELD_COUNT } from '../client/METADATA.js';
import { ElasticsearchFailure, toElasticsearchFailure } from '../client/ElasticsearchFailure.js';
import type { CollectionState } from './CollectionState.js';
import type { IndexList } from './IndexList.js';
import { copyIndex } from './copyIndex.js';
import {
  fromServerMapping,
  hasAdditions,
  MAPPING_ADDITIONS,
  toServerAnalysis,
  toServerMapping,
  withoutVectors,
} from './elasticsearchMapping.js';

/** Cache lifetime of a mapping and of a collection's existence, which each write checks. */
const FRESH_MS = 250;
const EXISTENCE_MS = 1_000;
const MAX_KEPT = 1_000;
const MAX_FIELDS = 1_000;
const NOT_CLOSED = /non dynamic settings/;
const MAX_TRIES = 5;
/** Index names per delete request: a request line is limited to 4,096 bytes. */
const DELETED_AT_ONCE = 8;

/** Cached state of one collection. */
interface Kept {
  state: CollectionState | undefined;
  atMs: number;
  /** Writes of this node so far; the next field is their number when the cached read began. */
  writeCount: number;
  readAtWriteCount: number;
}

interface ElasticsearchIndex {
  readonly aliases: JsonObject;
  readonly mappings: JsonObject;
}

/** Dependencies of `CollectionList`. */
export interface CollectionListParts {
  readonly elasticsearch: ElasticsearchClient;
  readonly names: ElasticsearchNames;
  readonly indexes: IndexList;
  readonly config: Pick<ElasticsearchConfig, 'shards' | 'replicas' | 'refreshIntervalMs'>;
  readonly log: Logger;
}

/** Collections and their mappings. */
export class CollectionList {
  private readonly kept = new Map<string, Kept>();
  /** Refreshes of new collections. */
  private isRefreshing = true;
  /** From 9.2 on Elasticsearch leaves vectors out of `_source`, unless an index is created with another setting. */
  private canExcludeVectors = false;
  /** Updates of indexes of earlier versions in progress, by Elasticsearch index. */
  private readonly updates = new Map<string, Promise<void>>();

  constructor(private readonly parts: CollectionListParts) {}

  /** Without refreshes, Elasticsearch stores many documents in less time. Ending it reaches all collections. */
  async bulkLoad(isOn: boolean): Promise<void> {
    this.isRefreshing = !isOn;
    if (isOn) return;
    const { elasticsearch, names, indexes } = this.parts;
    for (const index of (await indexes.read()).keys()) {
      await elasticsearch.ask({
        method: 'PUT',
        path: `/${names.pattern(index)}/_settings`,
        query: { ignore_unavailable: true, allow_no_indices: true },
        body: { refresh_interval: this.refreshInterval() },
        isSafe: true,
      });
    }
  }

  /**
   * Brings Elasticsearch indexes of earlier versions up to date. Call it at the start.
   * @param elasticsearchVersion such as `9.2.0`
   */
  async prepare(elasticsearchVersion: string): Promise<void> {
    const { elasticsearch, names, indexes } = this.parts;
    const [major = 0, minor = 0] = elasticsearchVersion.split('.').map(Number);
    this.canExcludeVectors = major > 9 || (major === 9 && minor >= 2);
    for (const index of (await indexes.read()).keys()) {
      const found = await elasticsearch.ask<Record<string, ElasticsearchIndex>>({
        method: 'GET',
        path: `/${names.pattern(index)}`,
        query: { ignore_unavailable: true, allow_no_indices: true },
        isSafe: true,
      });
      for (const [physical, { aliases, mappings }] of Object.entries(found)) {
        const [alias] = Object.keys(aliases);
        // One without an alias is left over from an interrupted truncate.
        if (alias === undefined) continue;
        if (!hasAdditions(mappings) || withoutVectors(mappings) !== undefined)
          await this.bringUpToDate(alias, physical, mappings);
      }
    }
  }

  /** Sorted by code unit. @throws storage.index_not_found */
  async list(index: string): Promise<readonly string[]> {
    await this.parts.indexes.get(index);
    const aliases = Object.values(await this.elasticsearchIndexes(index)).flatMap((each) => Object.keys(each.aliases));
    const names = aliases.map((alias) => this.parts.names.decode(alias)?.collection);
    return names.filter((name) => name !== undefined).sort();
  }

  /** @returns undefined if the collection is absent */
  async find(name: CollectionName): Promise<CollectionState | undefined> {
    const alias = this.parts.names.alias(name);
    const kept = this.kept.get(alias);
    const isCurrent =
      kept !== undefined && kept.readAtWriteCount === kept.writeCount && performance.now() - kept.atMs < FRESH_MS;
    if (isCurrent && kept.state !== undefined) return kept.state;
    return this.load(alias);
  }

  async has(name: CollectionName): Promise<boolean> {
    const kept = this.kept.get(this.parts.names.alias(name));
    const isKnown = kept?.state !== undefined && performance.now() - kept.atMs < EXISTENCE_MS;
    return isKnown || (await this.find(name)) !== undefined;
  }

  /** @throws storage.collection_not_found, storage.index_not_found */
  async get(name: CollectionName): Promise<CollectionState> {
    return (await this.find(name)) ?? this.fail(name);
  }

  /** Discards the cached state of an index (absent: of all indexes), and the results of reads in progress. */
  forget(index?: string): void {
    for (const alias of [...this.kept.keys()]) {
      if (index === undefined || this.parts.names.decode(alias)?.index === index) {
        this.kept.delete(alias);
      }
    }
  }

  /** Marks the cached mapping as stale after a write, which may have added fields. */
  touch(alias: string): void {
    const kept = this.kept.get(alias);
    if (kept !== undefined) kept.writeCount += 1;
  }

  /** The error for an absent collection. */
  async missing({ index, collection }: CollectionName): Promise<MillraceError> {
    const isThere = (await this.parts.indexes.find(index)) !== undefined;
    return isThere
      ? storageErrors.collection_not_found({ index, collection })
      : storageErrors.index_not_found({ index });
  }

  /** @returns false if it exists already @throws storage.invalid_mapping */
  async create(name: CollectionName, mapping: Mapping): Promise<boolean> {
    const alias = this.parts.names.alias(name);
    if ((await this.load(alias)) !== undefined) return false;
    if ((await this.parts.indexes.find(name.index)) === undefined) await this.parts.indexes.add(name.index);
    const body = { ...this.indexBody(mapping), aliases: { [alias]: {} } };
    try {
      await this.put(this.parts.names.generation(name, 1), body);
      return true;
    } catch (error) {
      if (!isExisting(error)) throw toInvalidMapping(error);
      // Another node is creating it: wait until it can be written to.
      await this.parts.elasticsearch.ask({
        method: 'GET',
        path: `/_cluster/health${path(alias)}`,
        query: { wait_for_status: 'yellow', timeout: '5s' },
        isSafe: true,
      });
      return false;
    }
  }

  /** @throws storage.collection_not_found, storage.index_not_found */
  async remove(name: CollectionName): Promise<void> {
    const { physical } = (await this.load(this.parts.names.alias(name))) ?? (await this.fail(name));
    await this.deletePhysical([physical]);
    this.kept.delete(this.parts.names.alias(name));
  }

  /** Removes an index with its collections. @throws storage.index_not_found */
  async removeIndex(index: string): Promise<void> {
    await this.parts.indexes.get(index);
    await this.deletePhysical(await this.physicalNames(index));
    await this.parts.indexes.remove(index);
    // An index created in the meantime would reappear with the next index of this name.
    await this.deletePhysical(await this.physicalNames(index));
    this.kept.clear();
  }

  /** Replaces the full Elasticsearch index by an empty one. Open views of the full index expire. */
  async truncate(name: CollectionName): Promise<void> {
    const alias = this.parts.names.alias(name);
    const { physical, mapping } = (await this.load(alias)) ?? (await this.fail(name));
    const renewed = await this.createNext(name, physical, mapping);
    try {
      await this.swap(alias, physical, renewed);
    } catch (error) {
      const status = error instanceof ElasticsearchFailure ? error.status : 0;
      // Without an answer, the alias may lead to it, now or later. If it does not, the next truncate takes another number.
      if (status > 0) await this.deletePhysical([renewed]);
      if (status !== 404) throw error;
      // Another request truncated or removed it at the same time.
      if ((await this.load(alias)) === undefined) await this.fail(name);
    }
    this.kept.delete(alias);
  }

  /** Creates the Elasticsearch index that is to follow another one. */
  private async createNext(name: CollectionName, physical: string, mapping: Mapping) {
    const { names } = this.parts;
    const body = this.indexBody(mapping);
    for (let number = names.generationNumber(physical) + 1; ; number += 1) {
      const next = names.generation(name, number);
      try {
        await this.put(next, body);
        return next;
      } catch (error) {
        // Left behind by an interrupted truncate, or created by one in progress.
        if (!isExisting(error)) throw error;
      }
    }
  }

  /** Makes the alias lead to another Elasticsearch index, and deletes the present one, in one step. */
  private async swap(alias: string, physical: string, renewed: string): Promise<void> {
    const actions = [{ remove_index: { index: physical } }, { add: { index: renewed, alias } }];
    await this.parts.elasticsearch.ask({
      method: 'POST',
      path: '/_aliases',
      body: { actions },
      isSafe: false,
    });
  }

  /** @throws storage.invalid_mapping (nothing changes then), storage.collection_not_found, storage.index_not_found */
  async updateMapping(name: CollectionName, update: Mapping): Promise<void> {
    const alias = this.parts.names.alias(name);
    const { mapping, physical } = (await this.load(alias)) ?? (await this.fail(name));
    const merged = mergedOrRefused(mapping, update);
    try {
      if (merged.analysis !== mapping.analysis) await this.addAnalyzers(physical, merged);
      await this.parts.elasticsearch.ask({
        method: 'PUT',
        path: `${path(alias)}/_mapping`,
        body: toServerMapping(merged),
        isSafe: true,
      });
    } catch (error) {
      throw toInvalidMapping(error);
    } finally {
      this.touch(alias);
    }
  }

  /**
   * Elasticsearch adds analyzers only to a closed index. Requests that find the index closed are retried, because
   * `ElasticsearchFailure` treats a closed index as busy; open scrolls expire. The mapping that uses the analyzers is written
   * afterwards, so that repeating the same update completes one that was interrupted.
   */
  private async addAnalyzers(physical: string, mapping: Mapping): Promise<void> {
    const { elasticsearch } = this.parts;
    const ask = (method: 'POST' | 'PUT', action: string, body?: JsonObject) =>
      elasticsearch.ask({
        method,
        path: path(physical, action),
        isSafe: true,
        ...present({ body }),
      });
    const add = async () => {
      try {
        await ask('POST', '_close');
        await ask('PUT', '_settings', toServerAnalysis(mapping));
      } finally {
        await ask('POST', '_open');
      }
    };
    // Another node that adds analyzers has reopened it.
    await retryOnConflict(
      add,
      MAX_TRIES,
      (error) => error instanceof ElasticsearchFailure && NOT_CLOSED.test(error.reason),
    );
  }

  private async fail(name: CollectionName): Promise<never> {
    throw await this.missing(name);
  }

  private async load(alias: string, isUpdated = false): Promise<CollectionState | undefined> {
    const kept = this.keep(alias);
    const [atMs, { writeCount }] = [performance.now(), kept];
    const answer = await this.parts.elasticsearch.find<Record<string, { mappings: JsonObject }>>({
      method: 'GET',
      path: `${path(alias)}/_mapping`,
      isSafe: true,
    });
    const [entry] = Object.entries(answer ?? {});
    if (entry === undefined) {
      if (this.kept.get(alias) === kept) this.kept.delete(alias);
      return undefined;
    }
    const [physical, { mappings: elasticsearchMapping }] = entry;
    if (!isUpdated && !hasAdditions(elasticsearchMapping)) {
      // The index was created by a node that still runs an earlier version.
      await this.bringUpToDate(alias, physical, elasticsearchMapping);
      return this.load(alias, true);
    }
    const before = kept.state;
    const isSame =
      before?.physical === physical &&
      JSON.stringify(before.elasticsearchMapping) === JSON.stringify(elasticsearchMapping);
    const state = isSame ? before : toState(physical, elasticsearchMapping);
    // A write that ended during the read may have added fields after it: then the result is stale.
    Object.assign(kept, { state, atMs, readAtWriteCount: writeCount } satisfies Partial<Kept>);
    return state;
  }

  /** Returns the cache entry of a collection. Creates a missing one, so that writes are counted from now on. */
  private keep(alias: string): Kept {
    const kept = this.kept.get(alias) ?? {
      state: undefined,
      atMs: 0,
      writeCount: 0,
      readAtWriteCount: -1,
    };
    this.kept.delete(alias);
    this.kept.set(alias, kept);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
    return kept;
  }

  private indexBody(mapping: Mapping): JsonObject {
    const { shards, replicas } = this.parts.config;
    return {
      settings: {
        number_of_shards: shards,
        number_of_replicas: replicas,
        refresh_interval: this.refreshInterval(),
        'mapping.total_fields.limit': MAX_FIELDS + METADATA_FIELD_COUNT,
        // Versions before the fix of elastic/elasticsearch#143732 ignore dynamic templates inside objects.
        ...(this.canExcludeVectors ? { 'mapping.exclude_source_vectors': false } : {}),
        ...toServerAnalysis(mapping),
      },
      mappings: toServerMapping(mapping),
    };
  }

  private refreshInterval(): string {
    return this.isRefreshing ? `${this.parts.config.refreshIntervalMs}ms` : '-1';
  }

  private async put(physical: string, body: JsonObject): Promise<void> {
    await this.parts.elasticsearch.ask({
      method: 'PUT',
      path: path(physical),
      body,
      isSafe: false,
    });
  }

  private bringUpToDate(alias: string, physical: string, mappings: JsonObject): Promise<void> {
    let update = this.updates.get(physical);
    if (update === undefined) {
      update = this.addToMapping(physical)
        .then(() => this.replaceVectors(alias, physical, mappings))
        .finally(() => this.updates.delete(physical));
      this.updates.set(physical, update);
    }
    return update;
  }

  /**
   * Without the metadata fields Elasticsearch would treat the metadata as user fields and guess their types from the
   * first value.
   */
  private async addToMapping(physical: string): Promise<void> {
    const { elasticsearch } = this.parts;
    const limit = { 'mapping.total_fields.limit': MAX_FIELDS + METADATA_FIELD_COUNT };
    const at = path(physical);
    await elasticsearch.ask({ method: 'PUT', path: `${at}/_settings`, body: limit, isSafe: true });
    await elasticsearch.ask({
      method: 'PUT',
      path: `${at}/_mapping`,
      body: MAPPING_ADDITIONS,
      isSafe: true,
    });
  }

  /**
   * Replaces an index with `dense_vector` fields by a copy in which they are `float` (docs/decisions/0006). Writes by
   * other nodes are refused as unavailable in the meantime. If the copy fails, the index remains as it is.
   */
  private async replaceVectors(alias: string, physical: string, mappings: JsonObject) {
    const repaired = withoutVectors(mappings);
    const name = this.parts.names.decode(alias);
    if (repaired === undefined || name === undefined) return;
    const { elasticsearch, log } = this.parts;
    const renewed = await this.createNext(name, physical, fromServerMapping(repaired));
    try {
      await elasticsearch.ask({
        method: 'PUT',
        path: path(physical, '_block', 'write'),
        isSafe: true,
      });
      await copyIndex(elasticsearch, physical, renewed, this.canExcludeVectors);
      await this.swap(alias, physical, renewed);
      log.info(name, 'the fields that Elasticsearch had made vectors are numbers again');
    } catch (error) {
      const { status, reason } = toElasticsearchFailure(error);
      await this.deletePhysical([renewed]);
      // Another node has replaced it.
      if (status === 404) return;
      await elasticsearch.ask({
        method: 'PUT',
        path: path(physical, '_settings'),
        body: { 'blocks.write': false },
        isSafe: true,
      });
      log.warn({ ...name, reason }, 'fields that Elasticsearch has made vectors remain unsearchable');
    }
  }

  private async physicalNames(index: string): Promise<readonly string[]> {
    return Object.keys(await this.elasticsearchIndexes(index));
  }

  /** Elasticsearch indexes by name. One without an alias is left over from an interrupted truncate. */
  private elasticsearchIndexes(index: string): Promise<Record<string, { aliases: JsonObject }>> {
    const { elasticsearch, names } = this.parts;
    return elasticsearch.ask({
      method: 'GET',
      path: `/${names.pattern(index)}/_alias`,
      query: { ignore_unavailable: true, allow_no_indices: true },
      isSafe: true,
    });
  }

  private async deletePhysical(physical: readonly string[]): Promise<void> {
    for (let first = 0; first < physical.length; first += DELETED_AT_ONCE) {
      const some = physical.slice(first, first + DELETED_AT_ONCE);
      await this.parts.elasticsearch.find({
        method: 'DELETE',
        path: `/${some.map(encodeURIComponent).join()}`,
        query: { ignore_unavailable: true },
        isSafe: true,
      });
    }
  }
}

function toState(physical: string, elasticsearchMapping: JsonObject): CollectionState {
  const mapping = fromServerMapping(elasticsearchMapping);
  return { physical, mapping, compiled: compileMapping(mapping), elasticsearchMapping };
}

function isExisting(error: unknown): boolean {
  return error instanceof ElasticsearchFailure && error.type === 'resource_already_exists_exception';
}

function mergedOrRefused(mapping: Mapping, update: Mapping): Mapping {
  try {
    return mergeMapping(mapping, update);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    throw storageErrors.invalid_mapping({ reason: error.message });
  }
}

/**
 * Converts a refusal of a mapping that passed our own checks, such as one with a field type that Elasticsearch lacks.
 */
function toInvalidMapping(error: unknown): unknown {
  const isRefusal = error instanceof ElasticsearchFailure && error.status === 400;
  return isRefusal ? storageErrors.invalid_mapping({ reason: error.reason }, { cause: error }) : error;
}
