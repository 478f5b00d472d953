/*
 * One connection to the server, opened again when it is lost:
 *
 *   idle → connecting → open → (waiting → connecting)* → closed
 *
 * `closed` is final: the server or the session said that connecting again would fail.
 */
import type { ResponseMessage } from '@millrace/actions';
import type { Session } from '../auth/Session.js';
import type { MillraceError } from '../errors/MillraceError.js';
import { NetworkError } from '../errors/NetworkError.js';
import type { Message } from '../Transport.js';
import { backoffMs } from './backoffMs.js';
import { Deadline } from './Deadline.js';
import { parseObject } from './parseObject.js';
import { PendingRequests, type OnAnswer } from './PendingRequests.js';
import type { ServerMessage } from './ServerMessage.js';
import type { SocketLike } from './SocketLike.js';
import { toError } from './toError.js';
import { userOf } from './userOf.js';
import { watchPage } from './watchPage.js';

/**
 * Close codes after which the client doesn't connect again, because it would fail again (PROTO-53). A test compares them
 * with the table of the server.
 */
const FINAL_CODES: ReadonlySet<number> = new Set([1000, 1002, 1007, 1009]);

/** The state of a connection; `closed`: it failed in a way that connecting again would not mend. */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'waiting' | 'closed';

/** What a connection needs, and whom it notifies. */
export interface ConnectionContext {
  readonly session: Session;
  openSocket(): SocketLike;
  /** The connection is open: everything has to be subscribed. */
  onOpen(): void;
  /** The connection, or the attempt to connect, has failed. */
  onLost(): void;
  /** @param bytes length of the message */
  onMessage(message: ServerMessage, bytes: number): void;
  onState(state: ConnectionState): void;
}

/** How long an attempt to connect may take. */
const CONNECT_MS = 10_000;
/** How much longer than announced the server may be silent. */
const GRACE_MS = 5_000;
/** How long the server may take to answer after a sleep or a change of the network. */
const PROBE_MS = 3_000;
/** A connection that lasted this long was not part of a failure. */
const STABLE_MS = 10_000;
const LONGEST_WAIT_MS = 60_000;

/** The connection of a client. Nothing is connected before `connect`. */
export class Connection {
  #state: ConnectionState = 'idle';
  #error: Error | undefined;
  #socket: SocketLike | undefined;
  #failedCount = 0;
  #openedAtMs = 0;
  /** Longest silence of the server. */
  #silenceMs = Infinity;
  readonly #deadline = new Deadline(() => {
    this.#lost(new NetworkError('the server is silent'), 'silence');
  });
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  /** A wait was ended early, since the connection was open last. */
  #isHurried = false;
  #lastLoss: { readonly reason: string; readonly attempt: number } | undefined;
  /** Number of the present attempt to connect: what a former one does later is ignored. */
  #attempt = 0;
  /** Whose token the connection began with. */
  #user: string | null = null;
  readonly #pending = new PendingRequests();
  #unwatch: (() => void) | undefined;

  constructor(private readonly context: ConnectionContext) {}

  get state(): ConnectionState {
    return this.#state;
  }

  /** Why the connection is `closed`. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Opens the connection and keeps it open. Does nothing if that is so already. */
  connect(): void {
    if (this.#state !== 'idle' && this.#state !== 'closed') return;
    const unwatchPage = watchPage(() => this.#wake());
    const unwatchSession = this.context.session.onTokenChange((token) => this.#tokenChanged(token));
    this.#unwatch = () => (unwatchPage(), unwatchSession());
    this.#failedCount = 0;
    void this.#open();
  }

  /** Closes the connection; requests without an answer fail. */
  disconnect(): void {
    this.#end('idle', new NetworkError('the connection was closed'));
  }

  /** The server has answered over HTTP: a wait ends, once in each outage, as WebSockets may be blocked nevertheless. */
  answered(): void {
    if (this.#state !== 'waiting' || this.#isHurried) return;
    this.#isHurried = true;
    void this.#open();
  }

  /**
   * Sends a request. The answer may have any status.
   * @param onAnswer called before the messages that follow the answer
   * @throws NetworkError if the connection isn't open, is lost before the answer, or too much waits to be sent
   */
  async request(message: Message, token: string | null, onAnswer?: OnAnswer): Promise<ResponseMessage> {
    const socket = this.#socket;
    if (socket === undefined || this.#state !== 'open') throw new NetworkError('not connected');
    return this.#pending.send(socket, message, token, onAnswer);
  }

  /** Another user needs another connection; a renewed token is for the next requests (PROTO-87). */
  #tokenChanged(token: string | null): void {
    if (this.#socket === undefined || userOf(token) === this.#user) return;
    this.#drop(new NetworkError('the user has changed'), 'user');
    void this.#open();
  }

  async #open(): Promise<void> {
    clearTimeout(this.#retryTimer);
    const attempt = ++this.#attempt;
    this.#setState('connecting');
    try {
      const token = await this.context.session.token();
      if (attempt !== this.#attempt) return;
      this.#user = userOf(token);
      this.#socket = this.context.openSocket();
      this.#watch(this.#socket, token);
    } catch (error) {
      if (attempt === this.#attempt) this.#failed(error);
    }
  }

  /** Observes a new socket. What a former one says is ignored. */
  #watch(socket: SocketLike, token: string | null): void {
    const isCurrent = () => this.#socket === socket;
    this.#deadline.set(CONNECT_MS);
    socket.addEventListener('open', () => {
      if (!isCurrent()) return;
      this.#hello(socket, token).catch((error: unknown) => {
        if (isCurrent()) this.#failed(error);
      });
    });
    socket.addEventListener('message', ({ data }) => {
      if (isCurrent()) this.#receive(String(data));
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (isCurrent()) this.#closed(code, reason);
    });
    // A close event follows.
    socket.addEventListener('error', () => undefined);
  }

  /** The first request of a connection (PROTO-46). */
  async #hello(socket: SocketLike, token: string | null): Promise<void> {
    const body = { v: 1, sdk: 'js/1', ...(this.#lastLoss && { last: this.#lastLoss }) };
    const hello = { controller: 'client', action: 'hello', body };
    let response = await this.#pending.send(socket, hello, token);
    if (response.status === 401 && token !== null) {
      const next = await this.context.session.replace(token);
      // The user has changed: another attempt has begun.
      if (socket !== this.#socket) return;
      response = await this.#pending.send(socket, hello, next);
    }
    if (response.status !== 200) throw toError(response);
    const { heartbeatMs } = response.result as { readonly heartbeatMs: number | null };
    this.#silenceMs = heartbeatMs === null ? Infinity : heartbeatMs + GRACE_MS;
    this.#deadline.set(this.#silenceMs);
    this.#openedAtMs = Date.now();
    this.#isHurried = false;
    this.#setState('open');
    this.context.onOpen();
  }

  #receive(text: string): void {
    this.#deadline.putOff(this.#state === 'open' ? this.#silenceMs : CONNECT_MS);
    const message = parseObject(text) as ServerMessage;
    if (!this.#pending.receive(message.room, message)) this.context.onMessage(message, text.length);
  }

  /** The page is visible or online again: an attempt is due, or it is checked that the server still answers. */
  #wake(): void {
    if (this.#state === 'waiting') void this.#open();
    if (this.#state !== 'open' || this.#socket === undefined) return;
    const probe = { controller: 'server', action: 'now' };
    this.#pending.send(this.#socket, probe, null).catch(() => undefined);
    this.#deadline.set(PROBE_MS);
  }

  #closed(code: number, reason: string): void {
    const error = new NetworkError(`the connection was closed with code ${code}`);
    if (FINAL_CODES.has(code)) return this.#end('closed', error);
    this.#lost(error, String(code), toRetryAfterMs(reason));
  }

  /** An attempt failed. */
  #failed(error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error));
    const { isRetryable, status = 0, retryAfterMs } = reason as Partial<MillraceError>;
    if (isRetryable === true || status >= 500) this.#lost(reason, 'failed', retryAfterMs);
    else this.#end('closed', reason);
  }

  #lost(error: Error, reason: string, retryAfterMs?: number): void {
    if (this.#state === 'open' && Date.now() - this.#openedAtMs >= STABLE_MS) this.#failedCount = 0;
    const waitMs = Math.min(retryAfterMs ?? backoffMs(this.#failedCount), LONGEST_WAIT_MS);
    this.#failedCount++;
    this.#drop(error, reason);
    this.#setState('waiting');
    // It holds a program of Node.js open: a program that waits for events must survive a restart of the server.
    this.#retryTimer = setTimeout(() => void this.#open(), waitMs);
  }

  #end(state: 'idle' | 'closed', error: Error): void {
    if (this.#state === 'idle' || this.#state === 'closed') return;
    this.#unwatch?.();
    clearTimeout(this.#retryTimer);
    this.#error = state === 'closed' ? error : undefined;
    this.#drop(error, state);
    this.#setState(state);
  }

  /** Closes the socket without waiting for it. */
  #drop(error: Error, reason: string): void {
    this.#lastLoss = { reason, attempt: this.#failedCount };
    this.#deadline.clear();
    this.#attempt++;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#pending.failAll(error);
    if (this.#state === 'open') this.context.onLost();
  }

  #setState(state: ConnectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.context.onState(state);
  }
}

/** The time in the reason `{"retryAfterMs": …}` of a stopping server (PROTO-43). */
function toRetryAfterMs(reason: string): number | undefined {
  const { retryAfterMs } = parseObject(reason) as { readonly retryAfterMs?: unknown };
  return typeof retryAfterMs === 'number' ? retryAfterMs : undefined;
}
