import { CLOCK, DueQueue, type Clock, type Connection, type Lifecycle, type Session } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { RoomTable } from '../rooms/RoomTable.js';

// Later timers would overflow; the timer is set again then.
const MAX_TIMER_MS = 2 ** 31 - 1;
// Node's timers may fire a little early.
const TIMER_SLACK_MS = 1;
/** Tokens of one connection without a subscription that are watched: those of its latest logins. */
const MAX_UNUSED_TOKENS = 32;
/** Entries of tokens no longer watched are removed once there are this many, and as many as others. */
const MIN_STALE_ENTRIES = 1_024;

/** Called when a token has expired. */
export type SessionEnd = (session: Session, connections: readonly Connection[]) => void;

interface ConnectionTokens {
  /** Oldest first. */
  readonly ids: Set<string>;
  /** Trimmed when it reaches this size. */
  trimAtCount: number;
}

interface WatchedSession {
  readonly session: Session;
  readonly connections: Map<string, Connection>;
}

/**
 * Tracks which connections use which tokens, through a login answered on them or a subscription, and reports expired
 * tokens. Uses wall time, like the validation of tokens.
 */
@scoped(Scope.ContainerScoped)
export class SessionWatch implements Lifecycle {
  private readonly byToken = new Map<string, WatchedSession>();
  private readonly tokensOf = new Map<string, ConnectionTokens>();
  private readonly expiries = new DueQueue<WatchedSession>();
  private timer: NodeJS.Timeout | undefined;
  private timerMs = Infinity;
  private onEnd: SessionEnd = () => undefined;

  constructor(
    @inject(CLOCK) private readonly clock: Clock,
    @inject(RoomTable) private readonly rooms: RoomTable,
  ) {}

  /** Number of watched tokens. */
  get tokenCount(): number {
    return this.byToken.size;
  }

  /** Number of entries in memory, including those of tokens no longer watched. */
  get entryCount(): number {
    return this.expiries.size;
  }

  /** Sets the callback for expired tokens. */
  notify(onEnd: SessionEnd): void {
    this.onEnd = onEnd;
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.timerMs = Infinity;
    this.byToken.clear();
    this.tokensOf.clear();
    this.expiries.clear();
  }

  watch(session: Session, connection: Connection): void {
    const { tokenId, expiresAtMs } = session;
    let watched = this.byToken.get(tokenId);
    if (watched === undefined) {
      watched = { session, connections: new Map() };
      this.byToken.set(tokenId, watched);
      this.expiries.push(expiresAtMs, watched);
      this.clearStale();
      this.schedule();
    }
    watched.connections.set(connection.id, connection);
    const tokens = this.tokensOf.get(connection.id) ?? { ids: new Set(), trimAtCount: MAX_UNUSED_TOKENS };
    this.tokensOf.set(connection.id, tokens);
    tokens.ids.delete(tokenId);
    tokens.ids.add(tokenId);
    if (tokens.ids.size > tokens.trimAtCount) this.trim(connection, tokens);
  } // prettier-ignore

  /** The connections that use a token. */
  connectionsOf(tokenId: string): readonly Connection[] {
    return [...(this.byToken.get(tokenId)?.connections.values() ?? [])];
  }

  /** Call when a connection has closed. */
  forget({ id }: Connection): void {
    for (const tokenId of this.tokensOf.get(id)?.ids ?? []) this.remove(tokenId, id);
    this.tokensOf.delete(id);
    this.clearStale();
  }

  /** Call when a token was revoked or replaced: its expiry needs no report. */
  forgetToken(tokenId: string): void {
    const watched = this.byToken.get(tokenId);
    if (watched === undefined) return;
    for (const id of watched.connections.keys()) this.tokensOf.get(id)?.ids.delete(tokenId);
    // Its entry in the queue must not keep closed connections until it is due.
    watched.connections.clear();
    this.byToken.delete(tokenId);
    this.clearStale();
  }

  /** A client may log in any number of times: of old tokens, only those used by a subscription are kept. */
  private trim({ id }: Connection, tokens: ConnectionTokens): void {
    const used = new Set(this.rooms.of(id).map(({ session }) => session?.tokenId));
    const unused = [...tokens.ids].filter((tokenId) => !used.has(tokenId));
    for (const tokenId of unused.slice(0, -MAX_UNUSED_TOKENS / 2)) {
      tokens.ids.delete(tokenId);
      this.remove(tokenId, id);
    }
    tokens.trimAtCount = tokens.ids.size * 2;
  }

  /** A client may log in, refresh its token and go any number of times, and each expiry may be weeks away. */
  private clearStale(): void {
    const staleCount = this.expiries.size - this.byToken.size;
    if (staleCount < Math.max(MIN_STALE_ENTRIES, this.byToken.size)) return;
    this.expiries.retain(({ item }) => this.byToken.get(item.session.tokenId) === item);
  }

  private remove(tokenId: string, connectionId: string): void {
    const watched = this.byToken.get(tokenId);
    watched?.connections.delete(connectionId);
    // Its entry in the queue finds no connections when it is due.
    if (watched?.connections.size === 0) this.byToken.delete(tokenId);
  }

  private schedule(): void {
    const { nextMs } = this.expiries;
    if (nextMs === undefined || nextMs >= this.timerMs) return;
    clearTimeout(this.timer);
    this.timerMs = nextMs;
    const delayMs = Math.max(0, nextMs - this.clock.nowMs()) + TIMER_SLACK_MS;
    // unref: a pending token must not keep a stopping process alive.
    this.timer = setTimeout(() => this.endDue(), Math.min(delayMs, MAX_TIMER_MS)).unref();
  }

  private endDue(): void {
    this.timerMs = Infinity;
    const nowMs = this.clock.nowMs();
    for (;;) {
      const watched = this.expiries.takeDue(nowMs)?.item;
      if (watched === undefined) break;
      const { session, connections } = watched;
      if (this.byToken.get(session.tokenId) !== watched) continue;
      const affected = [...connections.values()];
      this.forgetToken(session.tokenId);
      this.onEnd(session, affected);
    }
    this.schedule();
  }
}
