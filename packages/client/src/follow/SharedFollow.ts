/*
 * A followed search of the connection, shared by all that follow the same one: the server has one channel for them.
 */
import type { Notification } from '@millrace/actions';
import type { Collection } from '../collection/Collection.js';
import { toHit, type Hit, type WireHit } from '../collection/Document.js';
import { isError } from '../errors/MillraceError.js';
import { NetworkError } from '../errors/NetworkError.js';
import { backoffMs } from '../realtime/backoffMs.js';
import type { ServerMessage } from '../realtime/ServerMessage.js';
import { unref } from '../realtime/unref.js';
import type { RealtimeConnection } from '../realtime/realtime.js';
import type { Delta, WireResult } from './Delta.js';
import { foldDelta } from './foldDelta.js';
import type { FollowedResult, FollowStatus } from './Followed.js';

/** What is followed: fields of `realtime.follow`. */
export interface FollowedSearch {
  readonly body: object;
  readonly maxRateMs?: number;
}

interface Answer extends WireResult {
  readonly followId: string;
  readonly deltas?: readonly Delta[];
  readonly check: string;
}

export class SharedFollow {
  readonly listeners = new Set<() => void>();
  status: FollowStatus = 'connecting';
  error: Error | undefined;
  result: FollowedResult<unknown> | undefined;
  #known: WireResult | undefined;
  #followId: string | undefined;
  /** Deltas that came before the answer that names their channel. */
  #early: Notification[] | undefined;
  #failedCount = 0;
  readonly #hits = new WeakMap<WireHit, Hit<unknown>>();
  readonly #end: () => void;

  constructor(
    private readonly collection: Collection<unknown>,
    private readonly connection: RealtimeConnection,
    private readonly search: FollowedSearch,
  ) {
    const unuse = connection.use((message) => this.#received(message));
    const unwatch = connection.onState(() => this.#stateChanged());
    this.#end = () => (unuse(), unwatch());
    this.#stateChanged();
  }

  close(error?: Error): void {
    if (this.status === 'ended') return;
    this.#end();
    if (this.#followId !== undefined && this.connection.state === 'open' && error === undefined) {
      void this.#send('unfollow', { followId: this.#followId }).catch(() => undefined);
    }
    this.error = error;
    this.#setStatus('ended');
  }

  #stateChanged(): void {
    const { state, error } = this.connection;
    if (state === 'open') return void this.#ask();
    this.#followId = this.#early = undefined;
    if (state === 'closed' || state === 'idle') this.#closedBelow(state, error);
    else if (this.status === 'live') this.#setStatus('waiting');
  }

  #closedBelow(state: 'closed' | 'idle', error: Error | undefined): void {
    if (state === 'closed' || this.status !== 'connecting') this.close(error);
  }

  async #ask(): Promise<void> {
    if (this.#early !== undefined || this.status === 'ended') return;
    const early: Notification[] = (this.#early = []);
    const { index, name } = this.collection;
    try {
      const cursor = this.#known?.cursor;
      const { result } = await this.#send('follow', { index, collection: name, ...this.search, cursor });
      if (this.#early !== early) return;
      this.#early = undefined;
      this.#answered(result as unknown as Answer, early);
    } catch (failure) {
      if (this.#early !== early) return;
      this.#early = undefined;
      this.#failed(failure as Error);
    }
  } // prettier-ignore

  #answered(answer: Answer, early: readonly Notification[]): void {
    const { followId, deltas, check, cursor, hits, total, aggregations } = answer;
    this.#followId = followId;
    if (deltas === undefined) this.#known = { cursor, hits, total, aggregations };
    else if (this.#known !== undefined) this.#known = deltas.reduce(foldDelta, this.#known);
    if (this.#known === undefined || windowCheck(this.#known.hits) !== check) return this.#astray();
    this.#failedCount = 0;
    this.#show();
    for (const notification of early) this.#received({ room: followId, ...notification });
  }

  #received(message: ServerMessage): void {
    const { room, action, result } = message as ServerMessage & Notification;
    if (action === 'followed') this.#early?.push(message as Notification);
    if (room === undefined || room !== this.#followId) return;
    if (action === 'followed') return this.#fold(result as unknown as Delta);
    // It has ended, with a token that was renewed perhaps: the next answer says why.
    this.#followId = undefined;
    void this.#ask();
  }

  #fold(delta: Delta): void {
    const known = this.#known;
    if (known === undefined || delta.base !== known.cursor) return this.#astray();
    try {
      const next = foldDelta(known, delta);
      if (windowCheck(next.hits) !== delta.check) return this.#astray();
      this.#known = next;
      this.#show();
    } catch {
      this.#astray();
    }
  }

  /** The result is not the server's: it is asked for again. */
  #astray(): void {
    this.#known = undefined;
    this.#followId = undefined;
    if (this.#failedCount === 0) void this.#ask();
    else this.#askLater();
    this.#failedCount++;
  }

  #show(): void {
    if (this.#known === undefined) return;
    const { hits, total, aggregations } = this.#known;
    this.result = { hits: hits.map((hit) => this.#toHit(hit)), total, aggregations };
    this.status = 'live';
    this.#notify();
  }

  /** The same object for the same hit. */
  #toHit(hit: WireHit): Hit<unknown> {
    const known = this.#hits.get(hit) ?? toHit(hit);
    this.#hits.set(hit, known);
    return known;
  }

  #failed(failure: Error): void {
    // It is asked for again when the connection is open again.
    if (failure instanceof NetworkError && this.connection.state !== 'open') return;
    const isPassing = failure instanceof NetworkError || (isError(failure) && failure.isRetryable);
    if (!isPassing) return this.close(failure);
    this.#askLater();
    this.#failedCount++;
  }

  #askLater(): void {
    const again = () => void (this.connection.state === 'open' && this.#ask());
    unref(setTimeout(again, 1_000 + backoffMs(this.#failedCount)));
  }

  #send(action: string, fields: object) {
    return this.collection.send({ controller: 'realtime', action, ...fields });
  }

  #setStatus(status: FollowStatus): void {
    if (this.status === status) return;
    this.status = status;
    this.#notify();
  }

  #notify(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

/** The hash of a list of hits that deltas carry (FOLLOW-6): FNV-1a over ids and versions. */
function windowCheck(hits: readonly WireHit[]): string {
  let hash = 0x811c9dc5;
  const text = hits.map(({ _id, _version }) => `${_id} ${_version}\n`).join('');
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
