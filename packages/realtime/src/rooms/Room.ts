import type { CollectionName, JsonObject } from '@millrace/kernel';
import type { Channel } from './Channel.js';
import type { Membership } from './Membership.js';

/** All who listen to one filter over one collection. There as long as somebody is in it. */
export class Room implements CollectionName {
  readonly channels = new Map<string, Channel>();
  /** By connection: a connection counts once, however many channels it holds. */
  readonly members = new Map<string, Membership>();

  constructor(
    readonly id: string,
    readonly index: string,
    readonly collection: string,
    /** As the first who asked for it wrote it. */
    readonly filter: JsonObject,
  ) {}

  get count(): number {
    return this.members.size;
  }
}
