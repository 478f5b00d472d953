/*
 * The rooms of one collection whose members may see a part of its documents. A document is in such a room if its
 * visible content matches the filter or query and the right covers it: the two are found separately, so that many
 * users may share a filter, and many filters a right.
 */
import { isDeepStrictEqual } from 'node:util';
import type { FilterLimits, Registration } from '@millrace/filters';
import { type CollectionName, type DocumentGrant, type DocumentRight, type JsonObject } from '@millrace/kernel';
import { selectFields, type Mapping } from '@millrace/query';
import { DocumentTest } from '@millrace/search';
import { rightIdOf } from './rightIdOf.js';
import { CollectionQueries, type QueryParts } from './CollectionQueries.js';
import type { LimitedChange } from './LimitedChange.js';
import { LimitedTests, type LimitedTest } from './LimitedTests.js';
import { RightIndex, type Coverage, type HeldRight } from './RightIndex.js';
import type { Tested, TestedImage } from './RoomTests.js';
import { toIndexed } from './toIndexed.js';
import { toTestedMessage } from './toTested.js';

interface LimitedRoom {
  readonly test: LimitedTest;
  readonly held: HeldRight;
}

/** A document before or after a change, as the rooms see it. */
interface Seen {
  readonly covered: Coverage;
  /** By room: its right. */
  readonly rooms: ReadonlyMap<string, HeldRight>;
  readonly shown: (held: HeldRight) => Shown;
}

/** The content of a document that some grants show. */
interface Shown {
  readonly key: string;
  readonly source: JsonObject;
  readonly isWhole: boolean;
}

/** The rooms of one collection that rest on rights to a part of it. */
export class LimitedRooms {
  readonly queries: CollectionQueries;
  private readonly rights: RightIndex;
  private readonly tests: LimitedTests;
  private readonly rooms = new Map<string, LimitedRoom>();

  constructor(
    readonly name: CollectionName,
    mapping: Mapping,
    parts: QueryParts,
    limits: FilterLimits,
  ) {
    const refused = (key: string, reason: string) => {
      if (this.rights.refused(key)) return;
      for (const roomId of this.tests.ofQuery(key)?.rooms.values() ?? []) {
        parts.refused(roomId, reason);
      }
    };
    const resized = (key: string, addedBytes: number) => {
      const right = this.rights.ofQuery(key);
      if (right !== undefined) right.bytes += addedBytes;
      const test = this.tests.ofQuery(key);
      for (const [roomId, room] of this.rooms) {
        if (room.held === right || room.test === test) parts.resized(roomId, addedBytes);
      }
    };
    this.queries = new CollectionQueries(name, mapping, { ...parts, refused, resized });
    this.rights = new RightIndex(this.queries);
    this.tests = new LimitedTests(name, this.queries, limits);
  }

  get isEmpty(): boolean {
    return this.rooms.size === 0;
  }

  /** Whether the last test ended its pattern searches early. */
  get isIncomplete(): boolean {
    return this.tests.isIncomplete;
  }

  /** @throws realtime.invalid_filter, realtime.filter_too_complex, query.invalid, query.forbidden (400) */
  register(given: JsonObject, right: DocumentRight): Registration {
    const { id, bytes, hasPatterns, test } = this.tests.add(given, right);
    if (this.rooms.has(id)) return { id, created: false };
    const held = this.rights.hold(rightIdOf(right), right);
    test.rooms.set(held.id, id);
    this.rooms.set(id, { test, held });
    return { id, created: true, bytes: bytes + held.bytes, hasPatterns };
  }

  remove(roomId: string): void {
    const room = this.rooms.get(roomId);
    if (room === undefined) return;
    const { test, held } = room;
    this.rooms.delete(roomId);
    test.rooms.delete(held.id);
    if (test.rooms.size === 0) test.remove();
    this.rights.release(held);
  }

  /** Ids of the rooms that a document or message is in. @param nowMs `now` of date math in rights */
  test(tested: Tested, nowMs: number): readonly string[] {
    this.tests.begin();
    const { id, source, meta } = tested;
    if (meta !== null && this.queries.isUncertain) return [];
    if (meta !== null) return [...this.look(id ?? '', { source, meta }, nowMs).rooms.keys()];
    const document = toIndexed(id ?? '', tested);
    const found = this.tests.matchingMessage(toTestedMessage(source), id, this.queries.test(document));
    return [...found].flatMap(({ rooms }) => [...rooms.values()]);
  }

  /**
   * What a change of a document is for the rooms. A change of hidden fields alone is none.
   * @param nowMs `now` of date math in rights
   */
  testChange(
    id: string,
    before: TestedImage | null,
    after: TestedImage | null,
    nowMs: number,
  ): readonly LimitedChange[] {
    this.tests.begin();
    // Without the mapping, a right may seem to cover what it doesn't.
    if (this.queries.isUncertain) return [];
    const was = before && this.look(id, before, nowMs);
    const is = after && this.look(id, after, nowMs);
    const changes = new Map<string, LimitedChange>();
    const add = (roomId: string, key: string, change: Omit<LimitedChange, 'roomIds'>) => {
      const known = changes.get(key);
      if (known === undefined) changes.set(key, { ...change, roomIds: [roomId] });
      else known.roomIds.push(roomId);
    };
    const isSame = sameShown();
    for (const [roomId, held] of is?.rooms ?? []) {
      const shown = (is as Seen).shown(held);
      const stayed = was?.rooms.has(roomId) === true;
      if (stayed && isSame(was.shown(held), shown)) continue;
      const effect = stayed ? 'stayed' : 'entered';
      const change = { scope: 'in', effect, shown: shown.source, isHidden: false } as const;
      add(roomId, `${effect} ${shown.key}`, change);
    }
    for (const [roomId, held] of was?.rooms ?? []) {
      if (is?.rooms.has(roomId) === true) continue;
      const isHidden = is !== null && !is.covered.has(held);
      add(roomId, `left ${isHidden}`, { scope: 'out', effect: 'left', shown: null, isHidden });
    }
    return [...changes.values()];
  }

  private look(id: string, image: TestedImage, nowMs: number): Seen {
    const document = toIndexed(id, image);
    const matching = this.queries.test(document);
    const covered = this.rights.covering(document, matching, nowMs);
    const rooms = new Map<string, HeldRight>();
    if (covered.size > 0) {
      const byId = new Map([...covered.keys()].map((held) => [held.id, held]));
      for (const test of this.tests.matching(document, matching)) {
        for (const [rightId, roomId] of commonOf(test.rooms, byId)) {
          rooms.set(roomId, byId.get(rightId) as HeldRight);
        }
      }
    }
    return { covered, rooms, shown: this.showing(image.source, covered, nowMs) };
  }

  private showing(source: JsonObject, covered: Coverage, nowMs: number): Seen['shown'] {
    const known = new Map<string, Shown>();
    return (held) => {
      const grants = covered.get(held) ?? [];
      const key = fieldsKeyOf(grants);
      const shown = known.get(key) ?? this.show(key, source, grants, nowMs);
      known.set(key, shown);
      return shown;
    };
  }

  private show(key: string, source: JsonObject, grants: readonly DocumentGrant[], nowMs: number): Shown {
    const right = { key: '', grants };
    const test = new DocumentTest(right, this.queries.compiledMapping, nowMs);
    const fields = test.fieldsOf(grants);
    if (fields === null) return { key, source, isWhole: true };
    return { key, source: selectFields(source, fields), isWhole: false };
  }
}

/** Grants that show the same fields have the same key. */
function fieldsKeyOf(grants: readonly DocumentGrant[]): string {
  return JSON.stringify(grants.map(({ fields }) => fields));
}

/** The rooms of a test under the rights that cover a document: the shorter list is walked. */
function* commonOf(
  rooms: ReadonlyMap<string, string>,
  rights: ReadonlyMap<string, HeldRight>,
): Iterable<readonly [rightId: string, roomId: string]> {
  if (rooms.size <= rights.size) {
    for (const entry of rooms) if (rights.has(entry[0])) yield entry;
    return;
  }
  for (const rightId of rights.keys()) {
    const roomId = rooms.get(rightId);
    if (roomId !== undefined) yield [rightId, roomId];
  }
}

/** Whether a user who doesn't see all fields sees no difference. */
function sameShown(): (before: Shown, after: Shown) => boolean {
  const known = new Map<string, boolean>();
  return (before, after) => {
    if (before.isWhole || after.isWhole) return false;
    const key = `${before.key} ${after.key}`;
    const isSame = known.get(key) ?? isDeepStrictEqual(before.source, after.source);
    known.set(key, isSame);
    return isSame;
  };
}
