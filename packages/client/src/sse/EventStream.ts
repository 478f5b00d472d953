import type { Notification } from '@millrace/actions';
import { NetworkError } from '../errors/NetworkError.js';
import { Deadline } from '../realtime/Deadline.js';
import type { FallbackContext } from '../realtime/Fallback.js';
import { isCounted } from '../realtime/isCounted.js';
import { parseObject } from '../realtime/parseObject.js';
import type { ServerMessage } from '../realtime/ServerMessage.js';

/** An event of a stream. */
interface StreamEvent {
  /** `message` if it has no name. */
  readonly name: string;
  /** JSON; absent in an event that only sets `retryMs`. */
  readonly data?: string;
  /** How long to wait before the stream is opened again. */
  readonly retryMs?: number;
}

/** An item of `realtime.resume`. */
export interface StreamAsked {
  readonly index: string;
  readonly collection: string;
  readonly filter: object;
  readonly name?: string;
  readonly presence?: object;
  readonly [option: string]: unknown;
}

/** The answer to it. */
export interface StreamAnswer {
  readonly status: number;
  readonly error: object | null;
  readonly result: {
    readonly roomId: string;
    readonly channel: string;
    readonly gap?: object;
  } | null;
}

/** What happens to a stream. */
export interface StreamListener {
  /** @param lostCount of a heartbeat: notifications of the stream that have not arrived since the last one */
  onMessage(message: object, lostCount?: number): void;
  /** The server has ended it. @param retryMs how long to wait before it is opened again */
  onEnd(retryMs: number): void;
  /** It is broken or silent. */
  onBroken(): void;
}

/** Longest silence of a stream, whose server sends heartbeats each 15 s. */
const SILENCE_MS = 32_000;
const RETRY_MS = 2_000;
/** The server ends the stream after these events (SSE-2). */
const LAST: ReadonlySet<string> = new Set(['subscriptionEnded', 'jwtTokenExpired']);
const OVERLOADED = {
  status: 503,
  error: { id: 'core.overloaded', message: 'the server takes no streams now' },
  result: null,
};

/** One subscription by server-sent events. */
export class EventStream {
  roomId: string | undefined;
  channel: string | undefined;
  /** To be called after the answer: the messages of the stream follow it. */
  begin: () => void = () => undefined;
  readonly #hasBegun = new Promise<void>((resolve) => (this.begin = resolve));
  #isClosed = false;
  /** The answer says why it could not be resumed; the first gap says it again (SSE-6). */
  #isGapKnown = false;
  #retryMs = RETRY_MS;
  /** Notifications, as the server counts them (RESUME-24). */
  #received = 0;
  readonly #abort = new AbortController();
  readonly #deadline = new Deadline(() => this.#broken());

  constructor(
    private readonly context: FallbackContext,
    private readonly listener: StreamListener,
  ) {}

  /** @throws NetworkError if there is no answer of a server */
  async open(asked: StreamAsked, jwt: string | undefined): Promise<StreamAnswer> {
    const response = await this.#fetch(asked, jwt);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (isStream !== true || response.body === null) return toAnswer(await response.text());
    this.#deadline.set(SILENCE_MS);
    return new Promise((resolve) => {
      this.#read(response.body as ReadableStream<Uint8Array>, resolve).then(
        () => this.#ended(resolve),
        () => this.#broken(),
      );
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#deadline.clear();
    this.#abort.abort();
  }

  #fetch(asked: StreamAsked, jwt: string | undefined): Promise<Response> {
    const { url, fetch, headers } = this.context;
    const { index, collection, filter, presence, ...options } = asked;
    const path = [index, collection].map(encodeURIComponent).join('/');
    const query = new URLSearchParams(options as Record<string, string>);
    if (presence !== undefined) query.set('presence', JSON.stringify(presence));
    return fetch(`${url}/${path}/_subscribe?${query}`, {
      method: 'POST',
      headers: {
        ...headers,
        accept: 'text/event-stream',
        'content-type': 'application/json',
        ...(jwt !== undefined && { authorization: `Bearer ${jwt}` }),
      },
      body: JSON.stringify(filter),
      signal: this.#abort.signal,
    });
  }

  async #read(body: ReadableStream<Uint8Array>, onAnswer: (answer: StreamAnswer) => void) {
    for await (const event of readEvents(body)) {
      if (this.#isClosed) return;
      this.#deadline.putOff(SILENCE_MS);
      this.#retryMs = event.retryMs ?? this.#retryMs;
      if (event.data === undefined) continue;
      const message = parseObject(event.data);
      if (event.name !== 'subscribed') this.#receive(event, message);
      else {
        onAnswer(this.#begun(message as StreamAnswer));
        await this.#hasBegun;
      }
    }
  }

  #begun(answer: StreamAnswer): StreamAnswer {
    this.roomId = answer.result?.roomId;
    this.channel = answer.result?.channel;
    this.#isGapKnown = answer.result?.gap !== undefined;
    return answer;
  }

  #receive({ name }: StreamEvent, message: ServerMessage): void {
    const isRepeated = name === 'gap' && this.#isGapKnown;
    this.#isGapKnown = false;
    if (isRepeated) return;
    if (LAST.has(name)) this.listener.onEnd(0);
    if (isCounted(message as Notification)) this.#received++;
    const { sent = this.#received } = message;
    this.listener.onMessage({ ...message, room: this.channel }, sent - this.#received);
    this.#received = sent;
  }

  #ended(onAnswer: (answer: StreamAnswer) => void): void {
    if (this.#isClosed) return;
    const { channel: room } = this;
    this.listener.onEnd(this.#retryMs);
    // The client asks for it again from its position.
    const ended = {
      controller: 'realtime',
      action: 'subscriptionEnded',
      state: 'done',
      result: {},
    };
    if (room === undefined) onAnswer(OVERLOADED);
    else this.listener.onMessage({ ...ended, room });
  }

  #broken(): void {
    if (!this.#isClosed) this.listener.onBroken();
  }
}

/** @throws NetworkError for something that isn't the answer of a server */
function toAnswer(text: string): StreamAnswer {
  const answer = parseObject(text) as StreamAnswer;
  if (!answer.error) throw new NetworkError('no answer of a Millrace server');
  return { ...answer, result: null };
}

/** Reads the events of a stream of the server, which ends lines with LF and writes a field at most once (SSE-4). */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield toEvent(block);
  }
}

function toEvent(block: string): StreamEvent {
  const lines = block.split('\n').map((line) => line.split(/: ?(.*)/s));
  const { event: name = 'message', data, retry } = Object.fromEntries(lines) as Record<string, string | undefined>;
  return {
    name,
    ...(data !== undefined && { data }),
    ...(retry !== undefined && { retryMs: Number(retry) }),
  };
}
