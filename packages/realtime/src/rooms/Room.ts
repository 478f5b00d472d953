import type { CollectionName, DocumentRight, JsonObject } from '@millrace/kernel';
import type { Channel } from './Channel.js';
import { isQueryTest } from '../matching/RoomTest.js';
import { rightIdOf } from '../matching/rightIdOf.js';
import type { Membership } from './Membership.js';

/** The subscribers of one filter or query over one collection, with the same right to its documents. Exists as long as it has members. */
export class Room implements CollectionName {
  readonly channels = new Map<string, Channel>();
  /** By connection: a connection counts once, whatever the number of its channels. */
  readonly members = new Map<string, Membership>();
  /** See `rightIdOf`. */
  readonly rightId: string;

  constructor(
    readonly id: string,
    readonly index: string,
    readonly collection: string,
    /** As sent by its first subscriber: a filter, or `{query: Q}`. */
    readonly filter: JsonObject,
    /** Estimated memory of the filter. */
    public filterBytes: number,
    /** Whether the filter contains a pattern: matches may then be unknown (`RoomTable.isIncomplete`). */
    readonly hasPatterns: boolean,
    /** The documents that its members may see; null: all. */
    readonly right: DocumentRight | null,
  ) {
    this.rightId = rightIdOf(right);
  }

  /** Whether the mapping decides what is in the room. */
  get needsMapping(): boolean {
    return this.right !== null || isQueryTest(this.filter);
  }

  get count(): number {
    return this.members.size;
  }
}
