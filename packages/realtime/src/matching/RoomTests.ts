/*
 * Finds the rooms of a document: those with a filter by the filter engine, those with a query by `CollectionQueries`.
 */
import {
  FilterEngine,
  type FilterLimits,
  type MatchChange,
  type Registration,
} from '@millrace/filters';
import {
  NO_DOCUMENT_METADATA,
  toCollectionKey,
  type CollectionName,
  type DocumentMetadata,
  type JsonObject,
  type MaybePromise,
} from '@millrace/kernel';
import type { Mapping } from '@millrace/query';
import { CollectionQueries, type QueryParts } from './CollectionQueries.js';
import { readMapping } from './readMapping.js';
import { registerFilter } from './registerFilter.js';
import { isQueryTest, queryRoomId, readRoomTest } from './RoomTest.js';
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

/** The tests of rooms, by room id. Nothing else is known of the rooms. */
export class RoomTests {
  private readonly engine: FilterEngine;
  /** By collection: those with at least one query. */
  private readonly queries = new Map<string, CollectionQueries>();
  /** By room with a query. */
  private readonly places = new Map<string, CollectionQueries>();

  constructor(
    private readonly limits: FilterLimits,
    private readonly parts: QueryParts,
  ) {
    this.engine = new FilterEngine(limits);
  }

  /**
   * What `register` needs to know of the collection, and brings its queries up to date. @returns undefined for filters
   */
  mappingFor(name: CollectionName, given: JsonObject): MaybePromise<Mapping | undefined> {
    if (!isQueryTest(given)) return undefined;
    const queries = this.queries.get(toCollectionKey(name));
    if (queries === undefined) return readMapping(this.parts.engine, name);
    return queries.prepare()?.then(() => queries.mapping) ?? queries.mapping;
  }

  /**
   * @param given the JSON of the subscription: a filter, or `{query: Q}`
   * @param mapping see `mappingFor`
   * @throws realtime.invalid_filter, realtime.filter_too_complex, query.invalid, query.forbidden (400)
   */
  register(name: CollectionName, given: JsonObject, mapping: Mapping | undefined): Registration {
    const test = readRoomTest(given, this.limits.bytes);
    if (test.kind === 'filter') return registerFilter(this.engine, name, test.filter);
    const id = queryRoomId(name, test.query);
    if (this.places.has(id)) return { id, created: false };
    if (mapping === undefined) throw new Error('a query needs a mapping');
    const key = toCollectionKey(name);
    const { index, collection } = name;
    const known = this.queries.get(key);
    const queries = known ?? new CollectionQueries({ index, collection }, mapping, this.parts);
    queries.add(id, test.query);
    this.queries.set(key, queries);
    this.places.set(id, queries);
    return { id, created: true, bytes: test.bytes, hasPatterns: false };
  }

  remove(name: CollectionName, roomId: string): void {
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
    return this.queriesOf(name)?.prepare(source);
  }

  /** The mappings of an index (absent: of all) may have been changed by a request. */
  mappingChanged(index?: string): void {
    for (const queries of this.queries.values()) {
      if (index === undefined || queries.name.index === index) queries.mappingChanged();
    }
  }

  /** Ids of the matching rooms. */
  test(name: CollectionName, { id, source, meta }: Tested): readonly string[] {
    const { index, collection } = name;
    const tested = meta === null ? toTestedMessage(source) : toTestedDocument(source, meta);
    const found = this.engine.test(index, collection, tested, id);
    const queries = this.queriesOf(name);
    if (queries === undefined) return found;
    const document = { id: id ?? '', source, meta: meta ?? NO_DOCUMENT_METADATA };
    return [...found, ...queries.test(document)];
  }

  /** Ids of the rooms that a changed document enters, stays in and leaves. */
  testChange(
    name: CollectionName,
    id: string,
    before: TestedImage | null,
    after: TestedImage | null,
  ): MatchChange {
    const { index, collection } = name;
    const change = this.engine.testChange(index, collection, tested(before), tested(after), id);
    const queries = this.queriesOf(name);
    if (queries === undefined) return change;
    const test = (image: TestedImage | null) =>
      image === null
        ? []
        : queries.test({ id, source: image.source, meta: image.meta ?? NO_DOCUMENT_METADATA });
    return joined(change, test(before), test(after));
  }

  /** Whether the last test ended its pattern searches early: rooms with patterns may be missing or wrong. */
  get isIncomplete(): boolean {
    return this.engine.isIncomplete;
  }

  /** Whether the mapping of the collection could not be read: rooms with queries may be missing or wrong. */
  isUncertain(name: CollectionName): boolean {
    return this.queriesOf(name)?.isUncertain === true;
  }

  private queriesOf(name: CollectionName): CollectionQueries | undefined {
    return this.queries.size === 0 ? undefined : this.queries.get(toCollectionKey(name));
  }
}

function tested(image: TestedImage | null): JsonObject | undefined {
  return image === null
    ? undefined
    : toTestedDocument(image.source, image.meta ?? NO_DOCUMENT_METADATA);
}

function joined(
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
