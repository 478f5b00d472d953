import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  apiErrors,
  type ByteAccount,
  encodeInParts,
  errorResponse,
  isLongMessage,
  type ActionDefinition,
  type Connection,
  type HttpStream,
  type HttpStreams,
  type JsonObject,
  type MillraceError,
  type NetworkGuard,
  type ProtocolHost,
  type Request,
  type Response,
} from '@millrace/kernel';
import { ExchangeConnection } from './ExchangeConnection.js';
import { PROTOCOL_NAME } from './PROTOCOL_NAME.js';
import type { BrowserPage } from './pages/BrowserPages.js';
import { decodePart } from './request/decodePart.js';
import type { RequestTarget } from './request/parseTarget.js';
import { readQuery } from './request/readQuery.js';
import { RequestBody, type BodyRules, type ReceivedBody } from './request/RequestBody.js';
import type { RouteHints } from './routing/RouteHints.js';
import type { CorsPolicy, ResponseHeaders } from './response/CorsPolicy.js';
import type { DiscardPace } from './response/DiscardPace.js';
import { encodeResponse, wrapParts, type EncodedResponse } from './response/encodeResponse.js';
import { rateLimitHeaders } from './response/rateLimitHeaders.js';
import { writeResponse, type Afterwards } from './response/writeResponse.js';

/** State that all exchanges of a handler share. */
export interface ExchangeContext {
  readonly host: ProtocolHost;
  readonly network: NetworkGuard;
  readonly cors: CorsPolicy;
  /** For actions without a larger limit. */
  readonly maxBodyBytes: number;
  readonly sendTimeoutMs: number;
  readonly isStopping: () => boolean;
  readonly nextExchangeNumber: () => number;
  readonly pace: DiscardPace;
}

/** The action of a route. */
export interface RoutedAction {
  readonly action: ActionDefinition;
  /** Name of the controller in the message. */
  readonly controller: string;
  /** Pattern of its path. */
  readonly route: string;
  /** Values of the path's parameters by name, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Set if the answer is a stream. */
  readonly streams?: HttpStreams | undefined;
}

// A cache must not give the refusal to a page from an allowed origin.
const FOREIGN_HEADERS: ResponseHeaders = { Vary: 'Origin' };
const PATH_SHOWN_LENGTH = 200;
/** Headers that become the field `headers` of the message. */
const PASSED_HEADERS = [
  'authorization',
  'cookie',
  'idempotency-key',
  'if-match',
  'if-none-match',
] as const;
/** Smaller answers are limited by the number of connections. */
const UNCOUNTED_BYTES = 16_384;

/**
 * One HTTP request and its answer: collects the fields of a message from path, query string, headers and body, has it
 * dispatched, and writes the response. The first problem becomes the fault of the request, so that every answer is an
 * envelope and is counted.
 */
export class HttpExchange {
  private fields: Record<string, unknown> = {};
  private fault: MillraceError | undefined;
  private dispatched: Request | undefined;
  private ownConnection: Connection | undefined;
  private isForeign = false;
  private route: string | undefined;
  private streams: HttpStreams | undefined;
  /** Of the answer, without its head. */
  private writtenBytes = 0;

  constructor(
    private readonly context: ExchangeContext,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    /** True on the server of another application. */
    private readonly isMounted = false,
  ) {}

  /** Runs the work of an exchange; anything it throws is logged and answered as core.internal (500). */
  async guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.context.host.log.error({ err: error }, 'HTTP exchange failed');
      if (this.response.headersSent) this.response.destroy();
      else this.write(this.internalFailure(error), this.request.complete ? 'keep' : 'linger');
    }
  }

  /** Answers OPTIONS: 204 with CORS headers, for any path. */
  async preflight(): Promise<void> {
    const received = await this.receive(undefined);
    if (received === undefined) return;
    const headers = { ...this.corsHeaders(), ...this.context.cors.preflightHeaders() };
    const encoded = { status: 204, headers, content: '', length: 0 };
    writeResponse(
      this.request,
      this.response,
      encoded,
      this.settled(received.afterwards),
      this.context.pace,
    );
  }

  /** Answers with content for a browser, without running an action. */
  async give({ contentType, text, headers }: BrowserPage): Promise<void> {
    const received = await this.receive(undefined);
    if (received === undefined) return;
    const length = Buffer.byteLength(text);
    const own = {
      'Content-Type': contentType,
      'Content-Length': length,
      'X-Content-Type-Options': 'nosniff',
    };
    const all = { ...own, ...this.corsHeaders(), ...headers };
    this.writeEncoded({ status: 200, headers: all, content: text, length }, received.afterwards);
  }

  /** Answers a request of a page that may not use the server; without CORS headers the page can't read the answer. */
  async refuseOrigin(fault: MillraceError): Promise<void> {
    this.isForeign = true;
    await this.refuse(fault);
  }

  /** Answers a malformed request, or one without a route. */
  async refuse(fault: MillraceError, query = '', headers: ResponseHeaders = {}): Promise<void> {
    this.fault = fault;
    // Only to echo the request id and the metadata, so problems with them are ignored.
    const { requestId, metadata } = this.queryFields(query, false).fields;
    Object.assign(this.fields, { requestId, metadata });
    this.readHeaders();
    await this.finish(undefined, headers);
  }

  /** 404 for an unknown path, 405 with `Allow` if the path exists for other methods (PROTO-27). */
  async refuseRoute(
    { path: whole, segments, query }: RequestTarget,
    allowed: readonly string[],
    hints: RouteHints,
  ): Promise<void> {
    const method = this.request.method ?? '';
    const path = whole.slice(0, PATH_SHOWN_LENGTH);
    if (allowed.length === 0) {
      const hint = hints.forUnknownPath(method, segments);
      return this.refuse(apiErrors.route_not_found({ method, path, hint }), query);
    }
    const names = allowed.join(', ');
    const hint = hints.forOtherMethod(method, segments);
    const fault = apiErrors.method_not_allowed({ method, path, allowed: names, hint });
    return this.refuse(fault, query, { Allow: `${names}, OPTIONS` });
  }

  /** Runs the action of a route. */
  async run(
    target: RequestTarget,
    { action, controller, route, parameters, streams }: RoutedAction,
  ): Promise<void> {
    this.route = route;
    this.streams = streams;
    this.readTarget(target, parameters);
    if (streams !== undefined) this.fault ??= this.faultOfStream(streams);
    this.fields.controller = controller;
    this.fields.action = action.action;
    this.readHeaders();
    await this.finish(this.rulesFor(action));
  }

  /** A client that doesn't ask for a stream would wait until the stream ends. */
  private faultOfStream({ mediaType }: HttpStreams): MillraceError | undefined {
    const { accept = '' } = this.request.headers;
    if (accept.toLowerCase().includes(mediaType)) return undefined;
    return apiErrors.invalid_argument({
      name: 'Accept',
      value: accept,
      expected: `${mediaType} in the header Accept`,
    });
  }

  /** Runs the action that the path names; the body holds the other fields of the message (PROTO-34). */
  async runMessage(target: RequestTarget, parameters: RoutedAction['parameters']): Promise<void> {
    this.readTarget(target, parameters);
    this.readHeaders();
    const inPathOrHead = this.fields;
    await this.finish(this.rulesForAny(), {}, (body) => {
      // By spread: assigning a key `__proto__` would set the prototype.
      this.fields = { ...body, ...inPathOrHead };
    });
  }

  private readTarget(target: RequestTarget, parameters: RoutedAction['parameters']): void {
    const parameterFields = this.decodeParameters(parameters);
    const query = this.queryFields(target.query, target.isMemoryStore);
    this.fault ??= query.fault;
    Object.assign(this.fields, query.fields, parameterFields);
  }

  /**
   * @param rules absent: the body is discarded
   * @param take stores the body in the fields
   */
  private async finish(
    rules: BodyRules | undefined,
    headers: ResponseHeaders = {},
    take: (body: JsonObject | null) => void = (body) => (this.fields.body = body),
  ): Promise<void> {
    const received = await this.receive(this.fault === undefined ? rules : undefined);
    if (received === undefined) return;
    const { host } = this.context;
    if (received.body !== undefined) take(received.body);
    this.fault ??= received.fault;
    const stream = await this.openStream();
    const [fields, connection, fault] =
      stream === undefined
        ? [this.fields, this.connection, this.fault]
        : [stream.fields, stream.connection, stream.fault];
    this.dispatched = host.createRequest(fields, connection, fault, received.bytes);
    const response = await host.dispatch(this.dispatched);
    if (stream?.answer(response.message) === true) return;
    if (response.raw === undefined && isLongMessage(response.message)) {
      const writing = this.writeLong(response, received.afterwards, headers);
      const bytes = () => this.writtenBytes;
      this.dispatched.answerBytes = writing.then(bytes, bytes);
      await writing;
    } else {
      this.write(response, received.afterwards, headers);
      this.dispatched.answerBytes = this.writtenBytes;
    }
  }

  private async openStream(): Promise<HttpStream | undefined> {
    const { streams, request, response, fields } = this;
    if (streams === undefined || this.fault !== undefined) return undefined;
    const { remoteAddress } = this.connection;
    return streams.open({ request, response, fields, remoteAddress, headers: this.corsHeaders() });
  }

  private receive(rules: BodyRules | undefined): Promise<ReceivedBody | undefined> {
    const body = new RequestBody(this.request, this.response, this.isMounted);
    return body.receive(this.context.maxBodyBytes, rules);
  }

  private rulesForAny(): BodyRules {
    const { maxBodyBytes } = this.context;
    return { maxBytes: maxBodyBytes, takesForm: false, open: () => this.openAccount() };
  }

  private rulesFor(action: ActionDefinition): BodyRules {
    const { host, maxBodyBytes } = this.context;
    const { largeBody } = action;
    const takesForm = action.takesForm?.(this.fields) === true;
    const rules = { ...this.rulesForAny(), takesForm };
    if (largeBody === undefined) return rules;
    const { list, maxItems, maxBytes } = largeBody;
    const lines = { list, maxItems };
    if (maxBytes <= maxBodyBytes) return { ...rules, lines };
    const judge = () => host.judge(host.createRequest(this.fields, this.connection));
    return { ...rules, lines, large: { maxBytes, judge } };
  }

  private decodeParameters(parameters: Readonly<Record<string, string>>): Record<string, string> {
    const decoded: Record<string, string> = {};
    for (const [name, raw] of Object.entries(parameters)) {
      const value = decodePart(raw);
      if (value !== undefined) decoded[name] = value;
      else {
        const problem = `malformed percent-encoding in the path: ${JSON.stringify(raw.slice(0, 60))}`;
        this.fault ??= apiErrors.invalid_request({ problem });
      }
    }
    return decoded;
  }

  private queryFields(query: string, isMemoryStore: boolean) {
    const fields: Record<string, unknown> = {};
    const fault = query === '' ? undefined : readQuery(query, isMemoryStore, fields);
    return { fields, fault };
  }

  private readHeaders(): void {
    const { headers } = this.request;
    let passed: Record<string, string> | undefined;
    for (const name of PASSED_HEADERS) {
      const value = headers[name];
      if (value !== undefined) (passed ??= {})[name] = String(value);
    }
    if (passed !== undefined) this.fields.headers = passed;
    const requestId = headers['x-request-id'];
    if (requestId !== undefined) this.fields.requestId = requestId;
  }

  private get connection(): Connection {
    this.ownConnection ??= new ExchangeConnection(
      `${PROTOCOL_NAME}-${this.context.nextExchangeNumber()}`,
      this.context.network.addressOf(this.request),
      this.request,
      this.response,
      this.route,
    );
    return this.ownConnection;
  }

  private write(response: Response, afterwards: Afterwards, headers: ResponseHeaders = {}): void {
    const further = this.furtherHeaders(response, headers);
    const encoded = encodeResponse(response, further);
    const account = encoded.length > UNCOUNTED_BYTES ? this.openAccount() : undefined;
    if (account?.take(encoded.length) === false) {
      this.refuseUnread(account, further, afterwards);
      return;
    }
    this.writeCounted(encoded, afterwards, account);
  }

  private async writeLong(
    response: Response,
    afterwards: Afterwards,
    headers: ResponseHeaders,
  ): Promise<void> {
    const further = this.furtherHeaders(response, headers);
    const account = this.openAccount();
    try {
      const isGone = () => this.response.destroyed;
      const parts = await encodeInParts(response.message, account, isGone);
      if (parts !== undefined) {
        this.writeCounted(wrapParts(response, parts, further), afterwards, account);
        return;
      }
    } catch (error) {
      account.close();
      throw error;
    }
    account.close();
    this.refuseUnread(account, further, afterwards);
  }

  private openAccount(): ByteAccount {
    return this.context.host.bytes.open(this.connection.remoteAddress);
  }

  /** @param account holds the bytes of the answer until the client has read them */
  private writeCounted(
    encoded: EncodedResponse,
    afterwards: Afterwards,
    account: ByteAccount | undefined,
  ): void {
    this.writeEncoded(encoded, afterwards);
    const { socket } = this.request;
    if (socket.writableLength === 0) {
      account?.close();
      return;
    }
    if (account !== undefined) {
      if (this.response.destroyed) account.close();
      else this.response.once('close', () => account.close());
    }
    // Node closes the socket after this time; it restores its own limit once the answer has been sent.
    socket.setTimeout(this.context.sendTimeoutMs);
  }

  /** Headers in addition to those of every answer. */
  private furtherHeaders(
    { message: { status } }: Response,
    headers: ResponseHeaders,
  ): ResponseHeaders {
    const further: Record<string, string | number> = Object.assign({}, this.corsHeaders(), headers);
    if (this.dispatched === undefined) return further;
    const { version, hint, rateLimit } = this.dispatched;
    if (status === 200 && version !== null) further.ETag = `"${version}"`;
    if (status === 200 && hint !== null) further['Millrace-Hint'] = hint;
    return rateLimit === null ? further : Object.assign(further, rateLimitHeaders(rateLimit));
  }

  private writeEncoded(encoded: EncodedResponse, afterwards: Afterwards): void {
    this.writtenBytes = encoded.length;
    writeResponse(
      this.request,
      this.response,
      encoded,
      this.settled(afterwards),
      this.context.pace,
    );
  }

  /** Refuses an answer that, with the unread ones of the client's address, exceeds its share. */
  private refuseUnread(
    account: ByteAccount,
    headers: ResponseHeaders,
    afterwards: Afterwards,
  ): void {
    const request =
      this.dispatched ?? this.context.host.createRequest(this.fields, this.connection);
    const refusal = account.refusal('answer');
    this.writeEncoded(encodeResponse(errorResponse(request, refusal, false), headers), afterwards);
  }

  private settled(afterwards: Afterwards): Afterwards {
    return afterwards === 'keep' && this.context.isStopping() ? 'close' : afterwards;
  }

  private corsHeaders(): ResponseHeaders {
    if (this.isForeign) return FOREIGN_HEADERS;
    return this.context.cors.headersFor(this.request.headers.origin);
  }

  /** The answer if even the pipeline failed, or if a result can't be written as JSON. */
  private internalFailure(error: unknown): Response {
    const request =
      this.dispatched ?? this.context.host.createRequest(this.fields, this.connection);
    return errorResponse(request, error, false);
  }
}
