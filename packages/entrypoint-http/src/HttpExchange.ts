import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import {
  andThen,
  apiErrors,
  type ByteAccount,
  encodeInParts,
  errorResponse,
  isLongMessage,
  isThenable,
  type ActionDefinition,
  type Connection,
  type FileContent,
  type HttpStreams,
  type JsonObject,
  type MaybePromise,
  type MillraceError,
  type NetworkGuard,
  type ProtocolHost,
  type Request,
  type RequestFields,
  type Response,
} from '@millrace/kernel';
import { ExchangeConnection } from './ExchangeConnection.js';
import type { BrowserPage } from './pages/BrowserPages.js';
import { decodePart } from './request/decodePart.js';
import type { RequestTarget } from './request/parseTarget.js';
import { readQuery } from './request/readQuery.js';
import { hasBody } from './request/readBody.js';
import { NO_BODY, RequestBody, type BodyRules, type ReceivedBody } from './request/RequestBody.js';
import type { RouteHints } from './routing/RouteHints.js';
import type { CorsPolicy } from './response/CorsPolicy.js';
import { toRecord, type ResponseHeaders } from './response/ResponseHeaders.js';
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
  /** Set if the answer is a stream. */
  readonly streams?: HttpStreams | undefined;
}

/** The parameters of a path; values are still percent-encoded. */
interface PathValues {
  readonly names: readonly string[];
  readonly values: readonly string[];
}

// A cache must not give the refusal to a page from an allowed origin.
const FOREIGN_HEADERS: ResponseHeaders = ['Vary', 'Origin'];
const PATH_SHOWN_LENGTH = 200;
/** Headers that become the field `headers` of the message. */
const PASSED_HEADERS = ['authorization', 'cookie', 'idempotency-key', 'if-match', 'if-none-match'] as const;
const NO_HEADERS: ResponseHeaders = [];
const NOT_DISPATCHED = { version: null, hint: null, rateLimit: null } as const;
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
  /** The body holds the fields of a message. */
  private isMessage = false;
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

  /**
   * Runs the work of an exchange, at once as far as nothing has to be awaited; anything it throws is logged and answered
   * as core.internal (500).
   */
  guard(work: () => MaybePromise<void>): void {
    try {
      const running = work();
      if (isThenable(running)) void running.then(undefined, (error: unknown) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.context.host.log.error({ err: error }, 'HTTP exchange failed');
    try {
      if (this.response.headersSent) this.response.destroy();
      else this.write(this.internalFailure(error), this.request.complete ? 'keep' : 'linger');
    } catch {
      // Nothing above would catch it.
      this.response.destroy();
    }
  }

  /** Answers OPTIONS: 204 with CORS headers, for any path. */
  preflight(): MaybePromise<void> {
    const headers = [...this.corsHeaders(), ...this.context.cors.preflightHeaders()];
    return this.writeAfterBody({ status: 204, headers, content: '', length: 0 });
  }

  /** Answers with content for a browser, without running an action. */
  give({ status = 200, contentType, content, headers }: BrowserPage): MaybePromise<void> {
    const length = Buffer.byteLength(content);
    const all: ResponseHeaders = [
      ...['Content-Type', contentType],
      // With 304 it would be the length of what the client has.
      ...(status === 304 ? [] : ['Content-Length', length]),
      ...['X-Content-Type-Options', 'nosniff'],
      ...this.corsHeaders(),
      ...headers,
    ];
    return this.writeAfterBody({ status, headers: all, content, length });
  }

  private writeAfterBody(encoded: EncodedResponse): MaybePromise<void> {
    return andThen(this.receive(undefined), (received) => {
      if (received !== undefined) this.writeEncoded(encoded, received.afterwards);
    });
  }

  /** Answers a request of a page that may not use the server; without CORS headers the page can't read the answer. */
  refuseOrigin(fault: MillraceError): MaybePromise<void> {
    this.isForeign = true;
    return this.refuse(fault);
  }

  /** Answers a malformed request, or one without a route. */
  refuse(fault: MillraceError, query = '', headers: ResponseHeaders = NO_HEADERS): MaybePromise<void> {
    this.fault = fault;
    const fields: Record<string, unknown> = {};
    // Only to echo the request id and the metadata, so problems with them are ignored.
    if (query !== '') readQuery(query, false, fields);
    Object.assign(this.fields, { requestId: fields.requestId, metadata: fields.metadata });
    this.readHeaders();
    return this.finish(undefined, headers);
  }

  /** 404 for an unknown path, 405 with `Allow` if the path exists for other methods (PROTO-27). */
  refuseRoute(
    { path: whole, segments, query }: RequestTarget,
    allowed: readonly string[],
    hints: RouteHints,
  ): MaybePromise<void> {
    const method = this.request.method ?? '';
    const path = whole.slice(0, PATH_SHOWN_LENGTH);
    if (allowed.length === 0) {
      const hint = hints.forUnknownPath(method, segments);
      return this.refuse(apiErrors.route_not_found({ method, path, hint }), query);
    }
    const names = allowed.join(', ');
    const hint = hints.forOtherMethod(method, segments);
    const fault = apiErrors.method_not_allowed({ method, path, allowed: names, hint });
    return this.refuse(fault, query, ['Allow', `${names}, OPTIONS`]);
  }

  /** Runs the action of a route. */
  run(target: RequestTarget, match: PathValues, routed: RoutedAction): MaybePromise<void> {
    const { action, controller, route, streams } = routed;
    this.route = route;
    this.streams = streams;
    this.readTarget(target, match);
    if (streams !== undefined) this.fault ??= this.faultOfStream(streams);
    this.fields.controller = controller;
    this.fields.action = action.action;
    this.readHeaders();
    const rules = hasBody(this.request) ? this.rulesFor(action) : undefined;
    return this.finish(rules, NO_HEADERS);
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
  runMessage(target: RequestTarget, match: PathValues): MaybePromise<void> {
    this.isMessage = true;
    this.readTarget(target, match);
    this.readHeaders();
    return this.finish(this.rulesForAny(), NO_HEADERS);
  }

  private readTarget({ query, isMemoryStore }: RequestTarget, { names, values }: PathValues): void {
    if (query !== '') {
      const fault = readQuery(query, isMemoryStore, this.fields);
      this.fault ??= fault;
    }
    for (let at = 0; at < names.length; at++) {
      const value = this.decode(values[at] ?? '');
      if (value !== undefined) this.fields[names[at] as string] = value;
    }
  }

  /** @param rules absent: there is no body, or it is discarded */
  private finish(rules: BodyRules | undefined, headers: ResponseHeaders): MaybePromise<void> {
    const received = this.receive(this.fault === undefined ? rules : undefined);
    return isThenable(received)
      ? received.then((body) => this.dispatch(body, headers))
      : this.dispatch(received, headers);
  }

  private dispatch(received: ReceivedBody | undefined, headers: ResponseHeaders): MaybePromise<void> {
    if (received === undefined) return;
    const { body, fault } = received;
    if (body !== undefined) this.takeBody(body);
    this.fault ??= fault;
    const { streams } = this;
    if (streams !== undefined && this.fault === undefined) return this.stream(streams, received);
    const response = this.answer(this.fields, this.connection, received, this.fault);
    return isThenable(response)
      ? response.then((answered) => this.send(answered, received.afterwards, headers))
      : this.send(response, received.afterwards, headers);
  }

  private takeBody(body: JsonObject | null): void {
    // By spread: assigning a key `__proto__` would set the prototype.
    if (this.isMessage) this.fields = { ...body, ...this.fields };
    else this.fields.body = body;
  }

  private answer(
    fields: RequestFields,
    connection: Connection,
    { bytes }: ReceivedBody,
    fault?: MillraceError,
  ): MaybePromise<Response> {
    const { host } = this.context;
    this.dispatched = host.createRequest(fields, connection, fault, bytes);
    return host.answer?.(this.dispatched) ?? host.dispatch(this.dispatched);
  }

  /** Writes an answer, a long one in parts. */
  private send(response: Response, afterwards: Afterwards, headers: ResponseHeaders): MaybePromise<void> {
    const { dispatched } = this;
    if (response.file !== undefined)
      return this.sendFile(response.file, afterwards, this.furtherHeaders(response, headers));
    if (response.raw === undefined && isLongMessage(response.message)) {
      const writing = this.writeLong(response, afterwards, headers);
      const bytes = () => this.writtenBytes;
      if (dispatched !== undefined) dispatched.answerBytes = writing.then(bytes, bytes);
      return writing;
    }
    this.write(response, afterwards, headers);
    if (dispatched !== undefined) dispatched.answerBytes = this.writtenBytes;
  }

  /** Sends a file at the pace of its client, which needs no share of the memory. */
  private async sendFile(
    { contentType, name, open }: FileContent,
    afterwards: Afterwards,
    further: ResponseHeaders,
  ): Promise<void> {
    const { request, response } = this;
    const headers: ResponseHeaders = [
      ...['Content-Type', contentType],
      ...['Content-Disposition', `attachment; filename="${name}"`],
      ...['Cache-Control', 'no-store'],
      ...['X-Content-Type-Options', 'nosniff'],
      ...further,
      ...(this.settled(afterwards) === 'keep' ? [] : ['Connection', 'close']),
    ];
    response.writeHead(200, headers as OutgoingHttpHeader[]);
    if (request.method === 'HEAD') return void response.end();
    // Node closes the socket if nothing is sent for so long.
    request.socket.setTimeout(this.context.sendTimeoutMs);
    await pipeline(open(), response).catch((error: unknown) => {
      // The client has left.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
  }

  /** Answers with a stream, unless the action fails. */
  private async stream(streams: HttpStreams, received: ReceivedBody): Promise<void> {
    const { request, response, fields } = this;
    const { remoteAddress } = this.connection;
    const headers = toRecord(this.corsHeaders());
    const stream = await streams.open({ request, response, fields, remoteAddress, headers });
    const answered = await this.answer(stream.fields, stream.connection, received, stream.fault);
    if (!stream.answer(answered.message)) {
      await this.send(answered, received.afterwards, NO_HEADERS);
    }
  }

  private receive(rules: BodyRules | undefined): MaybePromise<ReceivedBody | undefined> {
    if (!hasBody(this.request)) return NO_BODY;
    const body = new RequestBody(this.request, this.response, this.isMounted);
    return body.receive(this.context.maxBodyBytes, rules);
  }

  private rulesForAny(takesForm = false): BodyRules {
    return {
      maxBytes: this.context.maxBodyBytes,
      takesForm,
      open: () => this.openAccount(),
    };
  }

  private rulesFor(action: ActionDefinition): BodyRules {
    const { host, maxBodyBytes } = this.context;
    const { largeBody } = action;
    const rules = this.rulesForAny(action.takesForm?.(this.fields) === true);
    if (largeBody === undefined) return rules;
    const { list, maxItems, maxBytes } = largeBody;
    const lines = { list, maxItems };
    if (maxBytes <= maxBodyBytes) return { ...rules, lines };
    const decide = () => host.decide(host.createRequest(this.fields, this.connection));
    return { ...rules, lines, large: { maxBytes, decide } };
  }

  private decode(raw: string): string | undefined {
    const value = decodePart(raw);
    if (value === undefined) {
      const problem = `malformed percent-encoding in the path: ${JSON.stringify(raw.slice(0, 60))}`;
      this.fault ??= apiErrors.invalid_request({ problem });
    }
    return value;
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
      this.context.nextExchangeNumber(),
      this.context.network.addressOf(this.request),
      this.request,
      this.response,
      this.route,
    );
    return this.ownConnection;
  }

  private write(response: Response, afterwards: Afterwards, headers: ResponseHeaders = NO_HEADERS): void {
    const further = this.furtherHeaders(response, headers);
    const encoded = encodeResponse(response, further);
    const account = encoded.length > UNCOUNTED_BYTES ? this.openAccount() : undefined;
    if (account?.take(encoded.length) === false) {
      this.refuseUnread(account, further, afterwards);
      return;
    }
    this.writeCounted(encoded, afterwards, account);
  }

  private async writeLong(response: Response, afterwards: Afterwards, headers: ResponseHeaders): Promise<void> {
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
  private writeCounted(encoded: EncodedResponse, afterwards: Afterwards, account: ByteAccount | undefined): void {
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
  private furtherHeaders({ message: { status } }: Response, headers: ResponseHeaders): ResponseHeaders {
    const cors = this.corsHeaders();
    const { version, hint, rateLimit } = this.dispatched ?? NOT_DISPATCHED;
    const isUsual = headers.length === 0 && version === null && hint === null;
    if (isUsual && rateLimit === null) return cors;
    const further = [...cors, ...headers];
    if (status === 200 && version !== null) further.push('ETag', `"${version}"`);
    if (status === 200 && hint !== null) further.push('Millrace-Hint', hint);
    if (rateLimit !== null) further.push(...rateLimitHeaders(rateLimit));
    return further;
  }

  private writeEncoded(encoded: EncodedResponse, afterwards: Afterwards): void {
    this.writtenBytes = encoded.length;
    writeResponse(this.request, this.response, encoded, this.settled(afterwards), this.context.pace);
  }

  /** Refuses an answer that, with the unread ones of the client's address, exceeds its share. */
  private refuseUnread(account: ByteAccount, headers: ResponseHeaders, afterwards: Afterwards): void {
    const request = this.dispatched ?? this.context.host.createRequest(this.fields, this.connection);
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
    const request = this.dispatched ?? this.context.host.createRequest(this.fields, this.connection);
    return errorResponse(request, error, false);
  }
}
