/*
 * Finds the rooms of a document: those with a filter by the filter engine, those with a query by `CollectionQueries`,
 * those of users who may see a part of the documents by `LimitedRooms`.
 */
import { FilterEngine, type FilterLimits, type MatchChange, type Registration } from '@millrace/filters';
import {
  NO_DOCUMENT_METADATA,
  toCollectionKey,
  type CollectionName,
  type Clock,
  type DocumentMetadata,
  type DocumentRight,
  type JsonObject,
  type MaybePromise,
  type TurnKeys,
} from '@millrace/kernel';
import { estimateQueryBytes, type CompiledMapping, type Mapping } from '@millrace/query';
import { CollectionQueries, type QueryParts } from './CollectionQueries.js';
import type { LimitedChange } from './LimitedChange.js';
import { LimitedRooms } from './LimitedRooms.js';
import { readMapping } from './readMapping.js';
import { registerFilter } from './registerFilter.js';
import { isQueryTest, queryRoomId, readRoomTest } from './RoomTest.js';
import { toIndexed } from './toIndexed.js';
import { toTestedDocument, toTestedMessage } from './toTested.js';

/** What is tested: a document, or a published message. */
export interface Tested {
  /** Absent: a message without an id. */
  readonly id: string | undefined;
  readonly source: JsonObject;
  /** Null: a message. */
  readonly meta: DocumentMetadata | null;
}

/** A document before or after a change. */
export interface TestedImage {
  readonly source: JsonObject;
  readonly meta: DocumentMetadata | null;
}

/** Rooms that a change concerns. */
export interface RoomChange extends MatchChange {
  /** Those of users who may see a part of the documents. */
  readonly limited: readonly LimitedChange[];
}

/** What `RoomTests` needs. */
export interface RoomTestParts extends QueryParts {
  readonly clock: Clock;
}

/** What `register` adds a room for. */
export interface RegisterAsked {
  /** The JSON of the subscription: a filter, or `{query: Q}`. */
  readonly filter: JsonObject;
  /** The documents that the room's members may see; null: all. */
  readonly right: DocumentRight | null;
  /** See `mappingFor`. */
  readonly mapping: Mapping | undefined;
}

/** Tables of a collection's first query, measured. */
const BYTES_PER_COLLECTION = 8_000;
const NONE: readonly LimitedChange[] = [];

/** The tests of rooms, by room id. Nothing else is known of the rooms. */
export class RoomTests {
  private readonly engine: FilterEngine;
  /** By collection: those with at least one query. */
  private readonly queries = new Map<string, CollectionQueries>();
  /** By room with a query. */
  private readonly places = new Map<string, CollectionQueries>();
  /** By collection: those with at least one room of a right to a part of it. */
  private readonly limited = new Map<string, LimitedRooms>();
  /** By room of such a right. */
  private readonly limitedPlaces = new Map<string, LimitedRooms>();

  constructor(
    private readonly limits: FilterLimits,
    private readonly parts: RoomTestParts,
  ) {
    this.engine = new FilterEngine(limits);
  }

  /**
   * What `register` needs to know of the collection, and brings its queries up to date.
   * @param client waits for its turn: binding a query to a mapping of many fields takes up to 10 ms; absent: the caller
   *   has waited
   * @returns undefined for filters on all documents
   */
  mappingFor(
    name: CollectionName,
    given: JsonObject,
    right: DocumentRight | null,
    client?: TurnKeys,
  ): MaybePromise<Mapping | undefined> {
    if (right === null && !isQueryTest(given)) return undefined;
    const { pacer } = this.parts;
    if (client === undefined || !pacer.isOver) return this.presentMapping(name, right);
    return pacer.turn(client).then(() => this.presentMapping(name, right));
  }

  private presentMapping(name: CollectionName, right: DocumentRight | null): MaybePromise<Mapping> {
    const key = toCollectionKey(name);
    const queries = right === null ? this.queries.get(key) : this.limited.get(key)?.queries;
    if (queries === undefined) return readMapping(this.parts.engine, name);
    return queries.prepare()?.then(() => queries.mapping) ?? queries.mapping;
  }

  /**
   * @throws realtime.invalid_filter, realtime.filter_too_complex, query.invalid, query.forbidden (400)
   */
  register(name: CollectionName, { filter, right, mapping }: RegisterAsked): Registration {
    if (right !== null) return this.registerLimited(name, filter, right, mapping);
    const test = readRoomTest(filter, this.limits.bytes);
    if (test.kind === 'filter') return registerFilter(this.engine, name, test.filter);
    const id = queryRoomId(name, test.query);
    if (this.places.has(id)) return { id, created: false };
    if (mapping === undefined) throw new Error('a query needs a mapping');
    const key = toCollectionKey(name);
    const { index, collection } = name;
    const known = this.queries.get(key);
    const queries = known ?? new CollectionQueries({ index, collection }, mapping, this.parts);
    const bytes = queries.add(id, test.query) + estimateQueryBytes(filter);
    this.queries.set(key, queries);
    this.places.set(id, queries);
    const ownBytes = known === undefined ? BYTES_PER_COLLECTION : 0;
    return { id, created: true, bytes: bytes + ownBytes, hasPatterns: false };
  }

  remove(name: CollectionName, roomId: string): void {
    const limited = this.limitedPlaces.get(roomId);
    if (limited !== undefined) {
      this.limitedPlaces.delete(roomId);
      limited.remove(roomId);
      if (limited.isEmpty) this.limited.delete(toCollectionKey(name));
      return;
    }
    const queries = this.places.get(roomId);
    if (queries === undefined) {
      this.engine.remove(roomId);
      return;
    }
    this.places.delete(roomId);
    queries.remove(roomId);
    if (queries.isEmpty) this.queries.delete(toCollectionKey(name));
  }

  /** Call before tests. @param source of a changed document @returns undefined: at once */
  prepare(name: CollectionName, source?: JsonObject | null): Promise<void> | undefined {
    const ready = this.queriesOf(name)?.prepare(source);
    const limitedReady = this.limitedOf(name)?.queries.prepare(source);
    return ready === undefined ? limitedReady : ready.then(() => limitedReady);
  }

  /** The mappings of an index (absent: of all) may have been changed by a request. */
  mappingChanged(index?: string): void {
    const limited = [...this.limited.values()].map(({ queries }) => queries);
    for (const queries of [...this.queries.values(), ...limited]) {
      if (index === undefined || queries.name.index === index) queries.mappingChanged();
    }
  }

  /** Ids of the matching rooms. */
  test(name: CollectionName, document: Tested): readonly string[] {
    const found = this.testWhole(name, document);
    const limited = this.limitedOf(name)?.test(document, this.parts.clock.nowMs()) ?? [];
    return limited.length === 0 ? found : [...found, ...limited];
  }

  private testWhole(name: CollectionName, { id, source, meta }: Tested): readonly string[] {
    const { index, collection } = name;
    const tested = meta === null ? toTestedMessage(source) : toTestedDocument(source, meta);
    const found = this.engine.test(index, collection, tested, id);
    const queries = this.queriesOf(name);
    if (queries === undefined) return found;
    return [...found, ...queries.test(toIndexed(id ?? '', { source, meta }))];
  }

  /**
   * Ids of the rooms that a changed document enters, stays in and leaves. @param atMs time of the change; absent: now
   */
  testChange(
    name: CollectionName,
    id: string,
    before: TestedImage | null,
    after: TestedImage | null,
    atMs = this.parts.clock.nowMs(),
  ): RoomChange {
    const whole = this.testWholeChange(name, id, before, after);
    const limited = this.limitedOf(name)?.testChange(id, before, after, atMs) ?? NONE;
    return { ...whole, limited };
  }

  private testWholeChange(
    name: CollectionName,
    id: string,
    before: TestedImage | null,
    after: TestedImage | null,
  ): MatchChange {
    const { index, collection } = name;
    const change = this.engine.testChange(index, collection, tested(before), tested(after), id);
    const queries = this.queriesOf(name);
    if (queries === undefined) return change;
    const test = (image: TestedImage | null) => (image === null ? [] : queries.test(toIndexed(id, image)));
    return joinChanges(change, test(before), test(after));
  }

  /** Whether the last test ended its pattern searches early: rooms with patterns may be missing or wrong. */
  isIncomplete(name: CollectionName): boolean {
    return this.engine.isIncomplete || this.limitedOf(name)?.isIncomplete === true;
  }

  /** Whether the mapping of the collection could not be read: rooms with queries may be missing or wrong. */
  isUncertain(name: CollectionName): boolean {
    const limited = this.limitedOf(name)?.queries;
    return this.queriesOf(name)?.isUncertain === true || limited?.isUncertain === true;
  }

  private registerLimited(
    name: CollectionName,
    filter: JsonObject,
    right: DocumentRight,
    mapping: Mapping | undefined,
  ): Registration {
    if (mapping === undefined) throw new Error('a right needs a mapping');
    const key = toCollectionKey(name);
    const { index, collection } = name;
    const known = this.limited.get(key);
    const limited = known ?? new LimitedRooms({ index, collection }, mapping, this.parts, this.limits);
    const registration = limited.register(filter, right);
    this.limited.set(key, limited);
    this.limitedPlaces.set(registration.id, limited);
    return registration;
  }

  private limitedOf(name: CollectionName): LimitedRooms | undefined {
    return this.limited.size === 0 ? undefined : this.limited.get(toCollectionKey(name));
  }

  /** The mapping in use for the queries of a collection; undefined without queries. */
  mappingOf(name: CollectionName): CompiledMapping | undefined {
    const queries = this.queriesOf(name) ?? this.limitedOf(name)?.queries;
    return queries?.compiledMapping;
  }

  private queriesOf(name: CollectionName): CollectionQueries | undefined {
    return this.queries.size === 0 ? undefined : this.queries.get(toCollectionKey(name));
  }
}

function tested(image: TestedImage | null): JsonObject | undefined {
  return image === null ? undefined : toTestedDocument(image.source, image.meta ?? NO_DOCUMENT_METADATA);
}

/** Adds the rooms that a document is in by their queries, before and after a change, to those found by filters. */
function joinChanges(
  { entered, stayed, left }: MatchChange,
  before: readonly string[],
  after: readonly string[],
): MatchChange {
  if (before.length === 0) return { entered: [...entered, ...after], stayed, left };
  if (after.length === 0) return { entered, stayed, left: [...left, ...before] };
  const [was, is] = [new Set(before), new Set(after)];
  return {
    entered: [...entered, ...after.filter((id) => !was.has(id))],
    stayed: [...stayed, ...after.filter((id) => was.has(id))],
    left: [...left, ...before.filter((id) => !is.has(id))],
  };
}
