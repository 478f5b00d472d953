/*
 * The filters and queries of subscribers who may see a part of the documents, each once for all rights with the same
 * fields. They are tested on the visible content only, so that they reveal nothing about the rest.
 */
import { hash } from 'node:crypto';
import { FilterEngine, type FilterLimits, type Registration } from '@millrace/filters';
import type { CollectionName, DocumentRight, JsonObject } from '@millrace/kernel';
import { estimateQueryBytes, selectFields, visibleFields, type FieldRule } from '@millrace/query';
import type { IndexedDocument } from '@millrace/search';
import { fieldRulesOf } from './fieldRulesOf.js';
import type { CollectionQueries } from './CollectionQueries.js';
import { registerFilter } from './registerFilter.js';
import { queryRoomId, readRoomTest } from './RoomTest.js';
import { toTestedDocument } from './toTested.js';

const ROOM_ID_BYTES = 16;

/** The filters of those who see the same fields. */
interface FieldFilters {
  readonly rules: readonly FieldRule[];
  readonly engine: FilterEngine;
  /** By id of the filter. */
  readonly tests: Map<string, LimitedTest>;
}

/** A filter or query under field rules. */
export interface LimitedTest {
  readonly key: string;
  /** Its rooms by id of the right. */
  readonly rooms: Map<string, string>;
  readonly hasPatterns: boolean;
  readonly remove: () => void;
}

/** A test for a room of a right. */
export interface LimitedRegistration extends Required<Omit<Registration, 'created'>> {
  readonly test: LimitedTest;
}

/** The filters and queries of one collection. */
export class LimitedTests {
  /** By field rules. */
  private readonly filters = new Map<string, FieldFilters>();
  /** By key; for queries it is the key of the live query. */
  private readonly tests = new Map<string, LimitedTest>();
  private hasSkipped = false;

  constructor(
    private readonly name: CollectionName,
    private readonly queries: CollectionQueries,
    private readonly limits: FilterLimits,
  ) {}

  /** Whether a test since `begin` ended its pattern searches early. */
  get isIncomplete(): boolean {
    return this.hasSkipped;
  }

  begin(): void {
    this.hasSkipped = false;
  }

  /** @throws realtime.invalid_filter, realtime.filter_too_complex, query.invalid, query.forbidden (400) */
  add(given: JsonObject, right: DocumentRight): LimitedRegistration {
    const rules = fieldRulesOf(right.grants);
    const read = readRoomTest(given, this.limits.bytes);
    const rulesKey = JSON.stringify(rules);
    if (read.kind === 'filter') return this.addFilter(read.filter, rules, rulesKey, right);
    const { query } = read;
    const testId = queryRoomId(this.name, query);
    const key = `query ${testId} ${rulesKey}`;
    const test =
      this.tests.get(key) ??
      this.addQuery(key, { kind: 'visible', query, view: { fields: rules }, boost: 1, path: query.path });
    const bytes = this.queries.bytesOf(key) + estimateQueryBytes(given);
    return { id: roomIdOf(testId, right), bytes, hasPatterns: false, test };
  }

  /** The test of a live query; undefined: it isn't one of these. */
  ofQuery(key: string): LimitedTest | undefined {
    return this.tests.get(key);
  }

  /** The filters and queries that a document matches for those who see the same fields. */
  *matching(document: IndexedDocument, matching: Iterable<string>): Iterable<LimitedTest> {
    yield* this.queriesOf(matching);
    const { source, meta, id } = document;
    for (const { rules, engine, tests } of this.filters.values()) {
      const visible = visibleFields(rules, this.queries.compiledMapping);
      const shown = visible === null ? source : selectFields(source, visible);
      yield* this.run(engine, tests, toTestedDocument(shown, meta), id);
    }
  }

  /** The filters and queries that a published message matches. @param tested as filters see it */
  *matchingMessage(
    tested: JsonObject,
    id: string | undefined,
    matching: Iterable<string>,
  ): Iterable<LimitedTest> {
    yield* this.queriesOf(matching);
    for (const { engine, tests } of this.filters.values()) yield* this.run(engine, tests, tested, id);
  } // prettier-ignore

  private *queriesOf(matching: Iterable<string>): Iterable<LimitedTest> {
    for (const key of matching) {
      const test = this.tests.get(key);
      if (test !== undefined) yield test;
    }
  }

  private *run(
    engine: FilterEngine,
    tests: FieldFilters['tests'],
    tested: JsonObject,
    id: string | undefined,
  ): Iterable<LimitedTest> {
    const { index, collection } = this.name;
    const found = engine.test(index, collection, tested, id);
    this.hasSkipped ||= engine.isIncomplete;
    for (const testId of found) {
      const test = tests.get(testId);
      if (test !== undefined) yield test;
    }
  }

  private addQuery(key: string, query: Parameters<CollectionQueries['add']>[1]): LimitedTest {
    this.queries.add(key, query);
    const remove = () => {
      this.queries.remove(key);
      this.tests.delete(key);
    };
    const test = { key, rooms: new Map<string, string>(), hasPatterns: false, remove };
    this.tests.set(key, test);
    return test;
  }

  private addFilter(
    filter: JsonObject,
    rules: readonly FieldRule[],
    rulesKey: string,
    right: DocumentRight,
  ): LimitedRegistration {
    const own = this.filters.get(rulesKey) ?? {
      rules,
      engine: new FilterEngine(this.limits),
      tests: new Map<string, LimitedTest>(),
    };
    const registered = registerFilter(own.engine, this.name, filter);
    const { id: testId, bytes = 0, hasPatterns = false } = registered;
    this.filters.set(rulesKey, own);
    const remove = () => {
      own.engine.remove(testId);
      own.tests.delete(testId);
      if (own.tests.size === 0) this.filters.delete(rulesKey);
    };
    const known = own.tests.get(testId);
    const test = known ?? { key: testId, rooms: new Map<string, string>(), hasPatterns, remove };
    own.tests.set(testId, test);
    return { id: roomIdOf(testId, right), bytes, hasPatterns: test.hasPatterns, test };
  }
}

/** The same on every node: of a filter or query under a right. */
function roomIdOf(testId: string, { key }: DocumentRight): string {
  return hash('sha256', `${testId} ${key}`, 'buffer').toString('hex', 0, ROOM_ID_BYTES);
}
