import type { Connection, Cursor } from '@millrace/kernel';
import type { ChannelOptions } from './ChannelOptions.js';
import type { Room } from './Room.js';
import type { RoomEffect, WatchedChange } from '../matching/WatchedChange.js';

/** A subscription whose notifications are kept back while it resumes. */
export interface HeldSubscription {
  readonly connection: Connection;
  /** Takes a notification. @param cursor of its change, if it has one */
  take(envelope: string, cursor: Cursor | undefined): void;
  /** It has ended, or resumes again: drops what was kept back. */
  drop?(): void;
}

/** Observes changes of the documents of a room. */
export interface ChannelWatcher {
  /**
   * A document has entered, left or changed inside the room.
   * @param change absent: nothing is known of what has changed
   */
  changed(change?: WatchedChange, effect?: RoomEffect): void;
  /** The last subscription has ended. */
  close(): void;
}

/** A room under one option set: all of its subscribers receive the same notifications. */
export class Channel {
  /** Number of connections by protocol. */
  readonly connectionCounts = new Map<string, number>();
  /** Notifications sent so far, but user events. */
  sentCount = 0;
  /** By connection: subscriptions that resume, or wait for a change. */
  readonly held = new Map<string, HeldSubscription>();
  /** Of a followed search: it sends what the channel carries. */
  watcher: ChannelWatcher | undefined;

  constructor(
    readonly name: string,
    readonly room: Room,
    readonly options: ChannelOptions,
  ) {}

  get isEmpty(): boolean {
    return this.connectionCounts.size === 0;
  }

  get wantsPending(): boolean {
    return this.options.state !== 'done';
  }

  /** @param scope null for pending notifications, which `scope` doesn't filter */
  receivesDocument(state: 'pending' | 'done', scope: 'in' | 'out' | null): boolean {
    const { options } = this;
    if (options.state !== 'all' && options.state !== state) return false;
    return scope === null || this.receivesMessage(scope);
  }

  /** Published messages have scope `in`; `state` doesn't filter them. */
  receivesMessage(scope: 'in' | 'out'): boolean {
    return this.options.scope === 'all' || this.options.scope === scope;
  }

  /** User events: `in` for joining, `out` for leaving. */
  receivesUsers(scope: 'in' | 'out'): boolean {
    return this.options.users === 'all' || this.options.users === scope;
  }

  add(protocol: string): void {
    this.connectionCounts.set(protocol, (this.connectionCounts.get(protocol) ?? 0) + 1);
  }

  isHeld(connectionId: string): boolean {
    return this.held.has(connectionId);
  }

  /** A subscription has ended, or resumes again. */
  dropHeld(connectionId: string): void {
    const held = this.held.get(connectionId);
    this.held.delete(connectionId);
    held?.drop?.();
  }

  remove(protocol: string): void {
    const left = (this.connectionCounts.get(protocol) ?? 0) - 1;
    if (left > 0) this.connectionCounts.set(protocol, left);
    else this.connectionCounts.delete(protocol);
  }
}
