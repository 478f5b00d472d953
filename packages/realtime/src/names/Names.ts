/*
 * Named subscriptions: the server keeps filter, options and acknowledged position for a user, and has the change log
 * keep what follows that position. A name is held by one subscription: a newcomer takes it over, on this node or on
 * another one. The version of the stored document decides between nodes: each claim writes it, so the writes of a
 * former holder fail.
 */
import {
  ANONYMOUS,
  CHANGE_LOG,
  CLOCK,
  KeyedQueue,
  NODE_LINK,
  realtimeErrors,
  type ChangeLog,
  type Clock,
  type Cursor,
  type JsonObject,
  type Lifecycle,
  type NodeLink,
  type Request,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { isOfRight, markCursor, positionOf } from '../rights/markCursor.js';
import type { Subscription } from '../rooms/Membership.js';
import { HeldNames } from './HeldNames.js';
import { isOfFormerUser, nameKey, toListed, type NameOwner, type NameRecord } from './NameRecord.js';
import { MAX_NAMES, NameStore, type StoredName } from './NameStore.js';
import { answerTakeovers, takeElsewhere } from './nameTakeover.js';

const MAX_ATTEMPTS = 5;

/** A name that a client subscribes under. */
export interface NameAsked {
  readonly owner: NameOwner;
  readonly name: string;
}

/** The state of a name when a subscription took it. */
export interface ClaimedName {
  /** Null if nothing is acknowledged. */
  readonly cursor: Cursor | null;
  /** Whether the name had another collection, filter or options. */
  readonly isReplaced: boolean;
}

/** Named subscriptions of all users. */
@scoped(Scope.ContainerScoped)
export class Names implements Lifecycle {
  private readonly turns = new KeyedQueue();

  constructor(
    @inject(CHANGE_LOG) private readonly changes: ChangeLog | null,
    @inject(NameStore) private readonly store: NameStore,
    @inject(HeldNames) private readonly held: HeldNames,
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Call before the link starts. */
  async start(): Promise<void> {
    answerTakeovers(this.link, (takeover) => this.held.release(takeover));
    await this.held.start();
  }

  stop(): Promise<void> {
    return this.held.stop();
  }

  /** @throws realtime.name_needs_user (401), realtime.no_change_log (400) */
  check(request: Request, name: string): NameAsked {
    const owner = ownerOf(request);
    if (this.changes === null) throw realtimeErrors.no_change_log({});
    return { owner, name };
  }

  /**
   * Gives the name to a subscription; a former one ends.
   * @param isThere whether the subscription has not ended in the meantime: its connection may be lost, and its client
   *   may have subscribed on another node
   * @throws realtime.too_many_names (429), realtime.name_busy (503), realtime.no_change_log (400)
   */
  claim(subscription: Subscription, asked: NameAsked, isThere: () => boolean): Promise<ClaimedName> {
    const key = nameKey(asked.owner, asked.name);
    return this.turns.run(key, async () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        await this.held.take(key, 'taken_over', subscription);
        const stored = await this.store.find(key);
        if (!isThere()) break;
        const record = this.recordOf(subscription, asked, stored);
        const version = stored === null ? await this.create(record) : await this.store.save(record, stored.version);
        if (version === undefined) continue;
        const isOther = stored !== null && !isSame(stored.record, record);
        if (isOther) await this.unpin(stored.record);
        const cursor = await this.hold(subscription, { record, version }, isOther);
        if (!isThere()) this.held.ended(subscription);
        return { cursor, isReplaced: isOther && !isOfFormerUser(stored.record, record) };
      }
      throw realtimeErrors.name_busy({ name: asked.name }, { retryAfterSeconds: 1 });
    });
  }

  /**
   * The client has processed everything up to a position. A position before the acknowledged one changes nothing.
   * @returns the acknowledged position
   * @throws realtime.name_needs_user (401), realtime.name_not_held (409), realtime.invalid_cursor (400)
   */
  acknowledge(request: Request, name: string, cursor: string): Cursor {
    const { changes } = this;
    const held = this.held.get(nameKey(ownerOf(request), name));
    const holderId = held?.subscription.membership.connection.id;
    if (held === undefined || changes === null || holderId !== request.connection.id) {
      throw realtimeErrors.name_not_held({ name });
    }
    const position = changes.check(positionOf(cursor));
    const { rightId } = held.subscription.membership.room;
    const isOfOthers = cursor !== position && !isOfRight(cursor, rightId);
    if (position.startsWith(`${changes.epoch}.`) && !isOfOthers) return held.acknowledge(markCursor(position, rightId));
    const reason = isOfOthers ? 'got one of other rights to the documents' : 'got one of another change log';
    throw realtimeErrors.invalid_cursor({ field: 'cursor', reason });
  }

  /** The client resumes from `cursor`, so it has everything up to there. */
  resumed(subscription: Subscription, cursor: Cursor): void {
    const isOfThisLog = cursor.startsWith(`${this.changes?.epoch}.`);
    const { rightId } = subscription.membership.room;
    if (isOfThisLog && isOfRight(cursor, rightId)) this.held.of(subscription)?.acknowledge(cursor);
  }

  /**
   * The named subscriptions of the user, by name; for an API key its own.
   * @throws realtime.name_needs_user (401)
   */
  async list(request: Request): Promise<readonly JsonObject[]> {
    const owner = ownerOf(request);
    const { apiKeyId } = owner;
    const records = await this.namesOf(owner);
    const visible = records.filter((each) => apiKeyId === undefined || each.apiKeyId === apiKeyId);
    return visible.map((record) => {
      const held = this.held.get(nameKey(record, record.name));
      return toListed({ ...record, cursor: held?.cursor ?? record.cursor });
    });
  }

  /**
   * Removes a name of the user, and ends the subscription that holds it.
   * @throws realtime.name_needs_user (401), realtime.name_not_found (404)
   */
  async remove(request: Request, name: string): Promise<void> {
    if (await this.removeOne(ownerOf(request), name)) return;
    throw realtimeErrors.name_not_found({ name });
  }

  /** Removes all names of a user, or of one API key, that were last used before a time (UTC milliseconds). */
  async removeAll({ user, apiKeyId }: NameOwner, beforeMs = Infinity): Promise<void> {
    let removedCount: number;
    // A list has twice as many as there may be: those of former versions may be more.
    do {
      removedCount = 0;
      for (const { record } of await this.store.list(user)) {
        if (apiKeyId !== undefined && record.apiKeyId !== apiKeyId) continue;
        if (record.usedAt >= beforeMs) continue;
        if (await this.removeOne(record, record.name)) removedCount++;
      }
    } while (removedCount > 0);
  }

  /** The names of a user and of the user's API keys, by name. Removes those that a former user has left. */
  private async namesOf(owner: NameOwner): Promise<readonly NameRecord[]> {
    for (;;) {
      const stored = await this.store.list(owner.user);
      const left = stored.filter(({ record }) => isOfFormerUser(record, owner));
      if (left.length === 0) return stored.map(({ record }) => record);
      for (const { record, version } of left) {
        // If it has another version, the user has taken it over.
        if (await this.store.delete(nameKey(record, record.name), version)) await this.unpin(record);
      }
    }
  }

  /** @returns false if there is none */
  private removeOne(owner: NameOwner, name: string): Promise<boolean> {
    const key = nameKey(owner, name);
    return this.turns.run(key, async () => {
      await this.held.take(key, 'removed');
      await takeElsewhere(this.link, { key, reason: 'removed' });
      const stored = await this.store.find(key);
      if (stored === null || !(await this.store.delete(key))) return false;
      await this.unpin(stored.record);
      return !isOfFormerUser(stored.record, owner);
    });
  }

  /** Holds the name, once no other node does. @returns the acknowledged position */
  private async hold(subscription: Subscription, stored: StoredName, isOther: boolean): Promise<Cursor | null> {
    const { changes, link } = this;
    const { record, version } = stored;
    if (changes === null) throw realtimeErrors.no_change_log({});
    const held = this.held.add(subscription, stored, changes);
    const answers = await takeElsewhere(link, { key: held.key, reason: 'taken_over', version });
    if (answers.some(({ isKept }) => isKept === true)) {
      this.held.ended(subscription);
      throw realtimeErrors.name_busy({ name: record.name }, { retryAfterSeconds: 1 });
    }
    for (const { cursor } of isOther ? [] : answers) {
      if (cursor?.startsWith(`${changes.epoch}.`) === true) held.acknowledge(cursor);
    }
    return held.cursor;
  }

  private recordOf(
    { membership, channel }: Subscription,
    { owner, name }: NameAsked,
    stored: StoredName | null,
  ): NameRecord {
    const { index, collection, filter } = membership.room;
    const record = {
      ...owner,
      name,
      index,
      collection,
      filter,
      options: channel.options,
      channel: channel.name,
      cursor: null,
      usedAt: this.clock.nowMs(),
    };
    const isKnown = stored !== null && isSame(stored.record, record);
    return isKnown ? { ...record, cursor: stored.record.cursor } : record;
  }

  private async unpin(record: NameRecord): Promise<void> {
    const { index, collection } = record;
    await this.changes?.pin({ index, collection }, nameKey(record, record.name), null);
  }

  /**
   * Stores a new name. Those of one user are counted and stored one after the other; another node may store one at the
   * same time, so they are counted again.
   * @returns its version; undefined: it exists
   * @throws realtime.too_many_names (429)
   */
  private create(record: NameRecord): Promise<number | undefined> {
    const { user, name } = record;
    return this.turns.run(`user ${user}`, async () => {
      if ((await this.namesOf(record)).length >= MAX_NAMES) throw tooMany();
      const version = await this.store.save(record, 'absent');
      if (version === undefined || !this.link.hasOthers()) return version;
      if ((await this.namesOf(record)).length <= MAX_NAMES) return version;
      await this.store.delete(nameKey(record, name));
      throw tooMany();
    });
  }
}

/** Whether the acknowledged position of a stored name holds for a subscription. */
function isSame(stored: NameRecord, asked: NameRecord): boolean {
  return stored.channel === asked.channel && !isOfFormerUser(stored, asked);
}

function tooMany(): Error {
  return realtimeErrors.too_many_names({ limit: MAX_NAMES });
}

/** @throws realtime.name_needs_user (401) for anonymous callers */
function ownerOf({ user: { _id: user, suid }, session }: Request): NameOwner {
  if (user === ANONYMOUS._id) throw realtimeErrors.name_needs_user({});
  const apiKeyId = session?.apiKeyId;
  return {
    user,
    ...(suid !== undefined && { suid }),
    ...(apiKeyId !== undefined && { apiKeyId }),
  };
}
