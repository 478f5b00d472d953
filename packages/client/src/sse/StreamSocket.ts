/*
 * Streams of server-sent events that behave like a WebSocket, so that the connection of the client needn't know the
 * difference: a message of `realtime.resume` opens a stream for each of its subscriptions, and the messages of all
 * streams arrive as those of one socket. Any other message is a request over HTTP.
 */
import type { Notification, ResponseMessage } from '@millrace/actions';
import type { FallbackContext } from '../realtime/Fallback.js';
import { isCounted } from '../realtime/isCounted.js';
import type { ServerMessage } from '../realtime/ServerMessage.js';
import type { SocketLike } from '../realtime/SocketLike.js';
import type { Message } from '../Transport.js';
import { EventStream, type StreamAnswer, type StreamAsked } from './EventStream.js';

interface Events {
  open: undefined;
  error: undefined;
  message: { readonly data: unknown };
  close: { readonly code: number; readonly reason: string };
}
type Listeners = { readonly [T in keyof Events]: ((event: Events[T]) => void)[] };

interface Sent extends Message {
  readonly requestId: string;
  readonly jwt?: string;
  readonly roomId?: string;
  readonly body?: { readonly subscriptions: readonly StreamAsked[] };
}

const ABNORMAL = 1006;

/** A connection by streams. */
export class StreamSocket implements SocketLike {
  readonly bufferedAmount = 0;
  readonly #listeners: Listeners = { open: [], error: [], message: [], close: [] };
  readonly #streams = new Set<EventStream>();
  readonly #requests = new AbortController();
  /** When the server wants streams to be opened again (SSE-10). */
  #notBeforeMs = 0;
  /** Notifications that the server has sent on the streams, those of closed ones included. */
  #sentCount = 0;

  /** @param onProven called when the server has answered */
  constructor(
    private readonly context: FallbackContext,
    private readonly maxStreams: number,
    private readonly onProven: () => void,
  ) {
    queueMicrotask(() => this.#emit('open', undefined));
  }

  addEventListener<T extends keyof Events>(type: T, listener: (event: Events[T]) => void): void {
    this.#listeners[type].push(listener);
  }

  send(text: string): void {
    const sent = JSON.parse(text) as Sent;
    this.#run(sent).then(
      (response) => {
        this.#receive({ ...response, room: sent.requestId });
        if (isResume(sent)) for (const stream of this.#streams) stream.begin();
      },
      () => this.#fail(),
    );
  }

  close(): void {
    this.#requests.abort();
    for (const stream of this.#streams) stream.close();
    this.#streams.clear();
    for (const all of Object.values(this.#listeners)) all.length = 0;
  }

  async #run({ requestId: _, jwt, ...message }: Sent): Promise<object> {
    const { controller, action, roomId, body } = message;
    if (isResume(message)) {
      const subscriptions: StreamAnswer[] = [];
      // One by one: only one more than `maxStreams` may be open, until it has replaced another one.
      for (const each of body?.subscriptions ?? []) subscriptions.push(await this.#open(each, jwt));
      return { status: 200, error: null, result: { subscriptions } };
    }
    if (controller === 'realtime' && action === 'unsubscribe') {
      for (const stream of this.#streams) if (stream.roomId === roomId) this.#remove(stream);
      return { status: 200, error: null, result: {} };
    }
    const { signal } = this.#requests;
    const { response } = await this.context.request(message, { token: jwt ?? null, signal });
    return action === 'hello' ? this.#greeted(response) : response;
  }

  /** Each stream has its own heartbeats. */
  #greeted(response: ResponseMessage): object {
    if (response.status !== 200) return response;
    this.onProven();
    return { ...response, result: { ...(response.result as object), heartbeatMs: null } };
  }

  async #open(asked: StreamAsked, jwt: string | undefined): Promise<StreamAnswer> {
    if (asked.name !== undefined) return refusal('a named subscription needs a WebSocket');
    const stream = new EventStream(this.context, {
      onMessage: (message, lostCount) => this.#pass(message, lostCount),
      onEnd: (retryMs) => {
        this.#notBeforeMs = Math.max(this.#notBeforeMs, Date.now() + retryMs);
        this.#remove(stream);
      },
      onBroken: () => this.#fail(),
    });
    this.#streams.add(stream);
    const waitMs = this.#notBeforeMs - Date.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const answer = await stream.open(asked, jwt);
    if (answer.result === null) this.#remove(stream);
    // The same subscription from another position replaces the former stream.
    for (const each of this.#streams) if (each !== stream && each.channel === stream.channel) this.#remove(each);
    if (this.#streams.size <= this.maxStreams) return answer;
    this.#remove(stream);
    return refusal(`more than ${this.maxStreams} subscriptions need a WebSocket, or \`maxStreams\``);
  }

  #remove(stream: EventStream): void {
    this.#streams.delete(stream);
    stream.close();
  }

  #fail(): void {
    const event = { code: ABNORMAL, reason: '' };
    this.#emit('close', event);
    this.close();
  }

  /** The heartbeat of a stream counts its own notifications (SSE-7), that of a connection those of all. */
  #pass(message: ServerMessage, lostCount = 0): void {
    this.#sentCount += lostCount + (isCounted(message as Notification) ? 1 : 0);
    const isBeat = message.sent !== undefined;
    this.#receive({ ...message, ...(isBeat && { sent: this.#sentCount }) });
  }

  #receive(message: object): void {
    this.#emit('message', { data: JSON.stringify(message) });
  }

  #emit<T extends keyof Events>(type: T, event: Events[T]): void {
    for (const listener of this.#listeners[type]) listener(event);
  }
}

function isResume({ controller, action }: Message): boolean {
  return controller === 'realtime' && action === 'resume';
}

/** The answer to a subscription that can't be opened here. */
function refusal(message: string): StreamAnswer {
  return { status: 400, error: { id: 'realtime.needs_websocket', message }, result: null };
}
