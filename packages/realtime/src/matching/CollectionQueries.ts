/*
 * The queries of one collection, bound to its mapping, and bound again when it changes: a field that didn't exist at
 * the time of a subscription is searched as soon as a document has it.
 *
 * The mapping that the engine has after a change has the fields of the changed document. The embedded engine is asked
 * for it before each test, at no cost. One that servers share is asked over the network: after a change of the mapping
 * that is announced, and when a document has a field that the mapping lacks.
 */
import {
  isThenable,
  MillraceError,
  type CollectionName,
  type JsonObject,
  type Logger,
  type MaybePromise,
  type StorageEngine,
} from '@millrace/kernel';
import {
  bindTraced,
  changedNames,
  compileMapping,
  DocumentError,
  estimateQueryBytes,
  NULL_SINK,
  parseDocument,
  type CompiledMapping,
  type Mapping,
  type Query,
} from '@millrace/query';
import { LiveQueries, type IndexedDocument } from '@millrace/search';
import type { Pacer } from '../Pacer.js';
import { readMapping } from './readMapping.js';
import { assertDecidable, refusing } from './RoomTest.js';

/** A query bound to the current mapping. */
interface Kept {
  readonly query: Query;
  /** See `TracedRoot`. */
  readonly names: readonly string[] | null;
  /** Estimated memory. */
  readonly bytes: number;
}

/** What `CollectionQueries` needs. */
export interface QueryParts {
  readonly engine: StorageEngine;
  readonly pacer: Pacer;
  readonly log: Logger;
  /** A query doesn't fit the changed mapping, and has been removed. */
  readonly refused: (key: string, reason: string) => void;
  /** A query takes more memory under the changed mapping, or less. */
  readonly resized: (key: string, addedBytes: number) => void;
}

/** More queries are bound again in slices. */
const BOUND_AT_ONCE = 100;
const BYTES_PER_NAME = 8;

/** The queries of one collection. Keys are the caller's. */
export class CollectionQueries {
  private readonly live: LiveQueries;
  private readonly kept = new Map<string, Kept>();
  private compiled: CompiledMapping;
  private preparing: Promise<void> | undefined;
  /** The mapping was changed elsewhere, or could not be read. */
  private isStale = false;
  /** The mapping could not be read before the last test. */
  isUncertain = false;

  constructor(
    readonly name: CollectionName,
    private current: Mapping,
    private readonly parts: QueryParts,
  ) {
    this.compiled = compileMapping(current);
    this.live = new LiveQueries(this.compiled);
  }

  /** The mapping in use. */
  get mapping(): Mapping {
    return this.current;
  }

  get compiledMapping(): CompiledMapping {
    return this.compiled;
  }

  get isEmpty(): boolean {
    return this.kept.size === 0;
  }

  /**
   * @returns an estimate of the memory of the query under the mapping, in bytes
   * @throws query.invalid (400) if the query doesn't fit the mapping or can't be decided on one document
   */
  add(key: string, query: Query): number {
    const bound = refusing(() => bindTraced(query, this.compiled));
    assertDecidable(bound);
    const { names } = bound;
    const parsedBytes = estimateQueryBytes(query) + (names?.length ?? 0) * BYTES_PER_NAME;
    const bytes = this.live.add(key, bound.query) + parsedBytes;
    this.kept.set(key, { query, names, bytes });
    return bytes;
  }

  /** Estimated memory of a query, in bytes. */
  bytesOf(key: string): number {
    return this.kept.get(key)?.bytes ?? 0;
  }

  remove(key: string): void {
    this.live.remove(key);
    this.kept.delete(key);
  }

  /** Keys of the queries that match a document. Call `prepare` before. */
  test(document: IndexedDocument): readonly string[] {
    return this.live.test(document);
  }

  /** The mapping was changed by a request. */
  mappingChanged(): void {
    this.isStale = true;
  }

  /**
   * Brings the queries up to the mapping that the collection has now. Never rejects: `isUncertain` tells.
   * @param source of a document that is tested next
   * @returns undefined: at once
   */
  prepare(source?: JsonObject | null): Promise<void> | undefined {
    if (this.preparing !== undefined) return this.preparing.then(() => this.prepare(source));
    const work = this.begin(source);
    this.preparing = work?.finally(() => (this.preparing = undefined));
    return this.preparing;
  }

  private begin(source: JsonObject | null | undefined): Promise<void> | undefined {
    try {
      const read = this.read(source);
      return isThenable(read) ? this.settle(read) : this.use(read);
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }

  /** @returns the current mapping; the one in use if it can't have changed */
  private read(source: JsonObject | null | undefined): MaybePromise<Mapping> {
    const { engine } = this.parts;
    const isOwn = engine.isShared !== true;
    if (!isOwn && !this.isStale && !this.lacksFieldsOf(source)) return this.current;
    return readMapping(engine, this.name);
  }

  private lacksFieldsOf(source: JsonObject | null | undefined): boolean {
    if (source === undefined || source === null) return false;
    try {
      return parseDocument(this.compiled, source, NULL_SINK);
    } catch (error) {
      // It was written under another mapping.
      if (error instanceof DocumentError) return true;
      throw error;
    }
  }

  private async settle(read: Promise<Mapping>): Promise<void> {
    try {
      this.isStale = false;
      await this.use(await read);
      this.isUncertain = false;
    } catch (error) {
      this.failed(error);
    }
  }

  private failed(error: unknown): void {
    this.isStale = true;
    this.isUncertain = true;
    this.parts.log.warn({ err: error, ...this.name }, 'the mapping could not be read');
  }

  private use(mapping: Mapping): Promise<void> | undefined {
    if (mapping === this.current) return undefined;
    const next = compileMapping(mapping, this.compiled);
    const changed = changedNames(this.compiled, next);
    this.current = mapping;
    this.compiled = next;
    this.live.setMapping(next);
    const isConcerned = ({ names }: Kept) => names?.some((name) => changed.has(name)) ?? true;
    const concerned = [...this.kept].filter(([, kept]) => isConcerned(kept));
    if (concerned.length > BOUND_AT_ONCE) return this.bindAll(concerned);
    for (const [key, kept] of concerned) this.bindAgain(key, kept);
    return undefined;
  }

  private async bindAll(concerned: readonly (readonly [string, Kept])[]): Promise<void> {
    const { pacer } = this.parts;
    for (const [key, kept] of concerned) {
      if (pacer.isOver) await pacer.turn();
      // It may have been removed in the meantime.
      if (this.kept.get(key) === kept) this.bindAgain(key, kept);
    }
  }

  private bindAgain(key: string, { query, bytes: former }: Kept): void {
    try {
      const bytes = this.add(key, query);
      if (bytes !== former) this.parts.resized(key, bytes - former);
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      this.remove(key);
      this.parts.refused(key, error.message);
    }
  }
}
