import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  apiErrors,
  errorResponse,
  type ActionDefinition,
  type Connection,
  type MillraceError,
  type NetworkGuard,
  type ProtocolHost,
  type Request,
  type Response,
} from '@millrace/kernel';
import { PROTOCOL_NAME } from './PROTOCOL_NAME.js';
import { decodePart } from './request/decodePart.js';
import { isForm, parseBody, refusedMediaType } from './request/parseBody.js';
import { parseForm } from './request/parseForm.js';
import type { RequestTarget } from './request/parseTarget.js';
import { hasBody, readBody } from './request/readBody.js';
import { readBodyBytes } from './request/readBodyBytes.js';
import { readQuery } from './request/readQuery.js';
import type { CorsPolicy, ResponseHeaders } from './response/CorsPolicy.js';
import { encodeResponse } from './response/encodeResponse.js';
import { writeResponse, type Afterwards } from './response/writeResponse.js';

/** What all exchanges of a handler share. */
export interface ExchangeContext {
  readonly host: ProtocolHost;
  readonly network: NetworkGuard;
  readonly cors: CorsPolicy;
  /** Of actions that take no more. */
  readonly maxBodyBytes: number;
  readonly sendTimeoutMs: number;
  readonly isStopping: () => boolean;
  readonly nextExchangeNumber: () => number;
}

/** Where a route leads. */
export interface RoutedAction {
  readonly action: ActionDefinition;
  /** Name of the controller in the message. */
  readonly controller: string;
  /** Values of the path's parameters by name, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

// A cache must not give the refusal to a page that is let in.
const FOREIGN_HEADERS: ResponseHeaders = { Vary: 'Origin' };
const PATH_SHOWN_LENGTH = 200;

/**
 * One HTTP request and its answer: collects the fields of a message from path, query string, headers and body, has it
 * dispatched, writes the response. The first problem on the way becomes the fault of the request, so that every answer
 * is an envelope and is counted.
 */
export class HttpExchange {
  private readonly fields: Record<string, unknown> = {};
  private fault: MillraceError | undefined;
  private dispatched: Request | undefined;
  private takesForm = false;
  private isForeign = false;

  constructor(
    private readonly context: ExchangeContext,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    /** On the server of another application. */
    private readonly isMounted = false,
  ) {}

  /** Runs the work of an exchange; whatever it throws is logged and answered as core.internal (500). */
  async guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.context.host.log.error({ err: error }, 'HTTP exchange failed');
      if (this.response.headersSent) this.response.destroy();
      else this.write(this.internalFailure(error), this.request.complete ? 'keep' : 'linger');
    }
  }

  /** OPTIONS: 204 with CORS headers, whatever the path. */
  async preflight(): Promise<void> {
    const afterwards = await this.receiveBody(this.context.maxBodyBytes, false);
    if (afterwards === 'gone') return;
    const headers = { ...this.corsHeaders(), ...this.context.cors.preflightHeaders() };
    const encoded = { status: 204, headers, content: Buffer.alloc(0) };
    writeResponse(this.request, this.response, encoded, this.settled(afterwards));
  }

  /** Answers a request of a page that may not use the server; without CORS headers the page can't read the answer. */
  async refuseOrigin(fault: MillraceError): Promise<void> {
    this.isForeign = true;
    await this.refuse(fault);
  }

  /** Answers a request that can't be understood, or that leads nowhere. */
  async refuse(fault: MillraceError, query = '', headers: ResponseHeaders = {}): Promise<void> {
    this.fault = fault;
    // For the request id and the metadata to come back; what is wrong with them doesn't matter any more.
    const { requestId, metadata } = this.queryFields(query, false).fields;
    Object.assign(this.fields, { requestId, metadata });
    this.readHeaders();
    await this.finish(this.context.maxBodyBytes, headers);
  }

  /** 404 for an unknown path, 405 with `Allow` for a path that other methods know (decisions.md section 2). */
  async refuseRoute(target: RequestTarget, allowed: readonly string[]): Promise<void> {
    const method = this.request.method ?? '';
    const path = target.path.slice(0, PATH_SHOWN_LENGTH);
    if (allowed.length === 0) {
      return this.refuse(apiErrors.route_not_found({ method, path }), target.query);
    }
    const names = allowed.join(', ');
    const fault = apiErrors.method_not_allowed({ method, path, allowed: names });
    return this.refuse(fault, target.query, { Allow: `${names}, OPTIONS` });
  }

  /** Has the action of a route run. */
  async run(
    target: RequestTarget,
    { action, controller, parameters }: RoutedAction,
  ): Promise<void> {
    const parameterFields = this.decodeParameters(parameters);
    const query = this.queryFields(target.query, target.isMemoryStore);
    this.fault ??= query.fault;
    Object.assign(this.fields, query.fields, parameterFields);
    this.fields.controller = controller;
    this.fields.action = action.action;
    this.readHeaders();
    this.takesForm = action.takesForm?.(this.fields) === true;
    await this.finish(Math.max(this.context.maxBodyBytes, action.maxBodyBytes ?? 0));
  }

  private async finish(maxBodyBytes: number, headers: ResponseHeaders = {}): Promise<void> {
    const afterwards = await this.receiveBody(maxBodyBytes, this.fault === undefined);
    if (afterwards === 'gone') return;
    const { host } = this.context;
    this.dispatched = host.createRequest(this.fields, this.connection(), this.fault);
    this.write(await host.dispatch(this.dispatched), afterwards, headers);
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
    const { authorization, cookie, 'x-request-id': requestId } = this.request.headers;
    if (authorization !== undefined || cookie !== undefined) {
      this.fields.headers = {
        ...(authorization === undefined ? undefined : { authorization }),
        ...(cookie === undefined ? undefined : { cookie }),
      };
    }
    if (requestId !== undefined) this.fields.requestId = requestId;
  }

  /**
   * Reads the body into the fields, or discards it, so that the connection can be kept.
   * @returns what to do with the connection; `gone`: the client has left
   */
  private async receiveBody(maxBytes: number, isWanted: boolean): Promise<Afterwards | 'gone'> {
    const { request } = this;
    const { headers } = request;
    if (!hasBody(request)) return 'keep';
    if (this.isMounted && request.readableEnded) {
      if (isWanted) this.takeReadBody(maxBytes);
      return 'keep';
    }
    const length = headers['content-length'];
    if (isWanted && length !== undefined) {
      this.fault ??= refusedMediaType(headers, this.takesForm);
    }
    const keep = isWanted && this.fault === undefined;
    // Another application's server has given the go-ahead itself.
    if (!this.isMounted && headers.expect?.toLowerCase() === '100-continue') {
      // The client waits with its body for a go-ahead, and does without where the answer is known.
      if (!keep || Number(length ?? 0) > maxBytes) {
        if (keep) this.fault = apiErrors.body_too_large({ maxBytes });
        return 'close';
      }
      this.response.writeContinue();
    }
    const received = await readBody(request, maxBytes, keep);
    switch (received.kind) {
      case 'complete':
        if (keep) this.takeBody(received.bytes);
        return 'keep';
      case 'tooLarge':
        this.fault ??= apiErrors.body_too_large({ maxBytes });
        return 'linger';
      case 'broken':
        this.fault = received.error;
        return 'close';
      case 'aborted':
        return 'gone';
    }
  }

  /** The application around has read the body, as its own parsers do: what they leave is held to the same rules. */
  private takeReadBody(maxBytes: number): void {
    const bytes = readBodyBytes(this.request);
    if (bytes === undefined) {
      const problem =
        'the application around the server has read the body and left none: mount Millrace before its body parser';
      this.fault ??= apiErrors.invalid_request({ problem });
    } else if (bytes.length > maxBytes) this.fault ??= apiErrors.body_too_large({ maxBytes });
    else if (this.fault === undefined) this.takeBody(bytes);
  }

  private takeBody(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const { headers } = this.request;
    const refused = refusedMediaType(headers, this.takesForm);
    const body = refused ?? (isForm(headers) ? parseForm(bytes) : parseBody(bytes));
    if (body instanceof Error) this.fault = body;
    else this.fields.body = body;
  }

  private connection(): Connection {
    return {
      id: `${PROTOCOL_NAME}-${this.context.nextExchangeNumber()}`,
      protocol: PROTOCOL_NAME,
      remoteAddress: this.context.network.addressOf(this.request),
    };
  }

  private write(response: Response, afterwards: Afterwards, headers: ResponseHeaders = {}): void {
    const encoded = encodeResponse(response, { ...this.corsHeaders(), ...headers });
    writeResponse(this.request, this.response, encoded, this.settled(afterwards));
    // Node closes a socket past this; it sets its own limit again once the answer is out.
    const { socket } = this.request;
    if (socket.writableLength > 0) socket.setTimeout(this.context.sendTimeoutMs);
  }

  private settled(afterwards: Afterwards): Afterwards {
    return afterwards === 'keep' && this.context.isStopping() ? 'close' : afterwards;
  }

  private corsHeaders(): ResponseHeaders {
    if (this.isForeign) return FOREIGN_HEADERS;
    return this.context.cors.headersFor(this.request.headers.origin);
  }

  /** The answer where even the pipeline failed, or where a result is no JSON. */
  private internalFailure(error: unknown): Response {
    const request =
      this.dispatched ?? this.context.host.createRequest(this.fields, this.connection());
    return errorResponse(request, error, false);
  }
}
