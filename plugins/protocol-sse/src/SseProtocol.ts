import {
  coreErrors,
  route,
  type HttpStream,
  type HttpStreamExchange,
  type HttpStreams,
  type Notifier,
  type Protocol,
  type ProtocolHost,
} from '@millrace/kernel';
import { ChannelTable, ConnectionSet } from '@millrace/plugin-kit';
import type { SseConfig } from './config.js';
import { EventStream, type StreamAsked, type StreamContext } from './EventStream.js';
import { SseNotifier } from './SseNotifier.js';
import type { StreamEvent } from './StreamEvent.js';
import type { StreamTickets } from './StreamTickets.js';

/** Name of this protocol in statistics and in `Connection.protocol`. */
const PROTOCOL_NAME = 'sse';

/** How long clients that don't read may delay a stop. */
const DRAIN_MS = 1_500;

/** Server-sent events: subscriptions as answers of the HTTP entrypoint. Opens no port. */
export class SseProtocol implements Protocol, HttpStreams {
  readonly name = PROTOCOL_NAME;
  readonly notifier: Notifier;
  readonly httpStreams: HttpStreams = this;
  readonly controller = 'realtime';
  readonly action = 'subscribe';
  readonly routes = [route('GET /:index/:collection/_subscribe'), route('POST /:index/:collection/_subscribe')];
  readonly mediaType = 'text/event-stream';
  private readonly streams = new ConnectionSet<EventStream>(PROTOCOL_NAME);
  private readonly channels = new ChannelTable<StreamEvent>();
  private readonly context: Promise<StreamContext>;
  private started: (host: ProtocolHost) => void = () => undefined;

  constructor(
    private readonly config: SseConfig,
    private readonly tickets: StreamTickets,
  ) {
    const sendInOrder = (stream: EventStream, event: StreamEvent) => this.channels.notify(stream, event);
    const onClosed = (stream: EventStream) => this.remove(stream);
    this.context = new Promise((resolve) => {
      this.started = (host) => resolve({ host, config, sendInOrder, onClosed });
    });
    this.notifier = new SseNotifier(this.streams, this.channels);
  }

  async start(host: ProtocolHost): Promise<null> {
    const { config } = this;
    this.started(host);
    this.streams.watch(config.maxStallMs, config.heartbeatMs, config.maxStreamMs);
    return null;
  }

  /** Ends all streams, with the times after which their clients should connect again spread over 5 s. */
  async stop(): Promise<void> {
    const { streams } = this;
    const cut = () => streams.each((stream) => stream.terminate());
    if (streams.isStopping) {
      cut();
      return streams.whenEmpty();
    }
    this.channels.flush();
    await streams.stop([[DRAIN_MS, cut]]);
  }

  async open(exchange: HttpStreamExchange): Promise<HttpStream> {
    const { streams } = this;
    // The HTTP entrypoint starts before this protocol, and stops after it.
    const context = await this.context;
    const asked = await this.ask(exchange);
    const fault = streams.isStopping ? coreErrors.stopping({}) : asked.fault;
    const connection = streams.create(exchange.remoteAddress);
    const stream = new EventStream(connection, { ...asked, fault }, context);
    streams.add(stream);
    return stream;
  }

  private async ask(exchange: HttpStreamExchange): Promise<StreamAsked> {
    const { ticket, ...fields } = exchange.fields;
    const { 'last-event-id': lastId, origin } = exchange.request.headers;
    // The address of an EventSource stays the same when it reconnects, so its argument `cursor` is older.
    const cursor = typeof lastId === 'string' && lastId !== '' ? { cursor: lastId } : {};
    const asked = { mode: 'auto', ...fields, ...cursor };
    if (ticket === undefined) return { exchange, fields: asked };
    const found = await this.tickets.redeem(ticket, origin);
    return 'fault' in found
      ? { exchange, fields: asked, fault: found.fault }
      : { exchange, fields: { ...asked, jwt: found.jwt } };
  }

  private remove(stream: EventStream): void {
    this.streams.remove(stream);
    this.channels.leaveAll(stream);
  }
}
