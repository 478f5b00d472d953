import {
  apiErrors,
  encodeInParts,
  errorResponse,
  isLongMessage,
  isThenable,
  ParseTurns,
  type Connection,
  type MaybePromise,
  type ProtocolHost,
  type Request,
  type Response,
} from '@millrace/kernel';

/** Default maximum memory of the running requests of one connection, in bytes. */
const MAX_RUNNING_BYTES = 4_194_304;

/** A connection that sends on although so many requests in a row were refused by the rate limit is closed (LIMIT-6). */
const MAX_REFUSED_IN_A_ROW = 100;

/** Dependencies and limits of a pump. */
export interface RequestPumpOptions {
  readonly host: ProtocolHost;
  readonly connection: Connection;
  readonly maxRunningRequests: number;
  /** Maximum memory of the running requests, in bytes. Default: 4 MiB. */
  readonly maxRunningBytes?: number;
  /**
   * Whether the connection is closed: a long answer that is being encoded is then dropped. Absent: the connection takes
   * no answers in parts.
   */
  readonly isGone?: () => boolean;
  /** Called after each answer, and after a message that had to wait: the connection may read on. */
  readonly onAnswered: () => void;
  /** Called when the client has ignored the rate limit too often: the connection should be closed. */
  readonly onFlooded: () => void;
}

/**
 * Sends an answer.
 * @param parts the encoded message (`encodeMessage`), if it is long and the pump encoded it in parts
 * @returns its bytes; 0 if the connection has closed
 */
export type SendAnswer = (response: Response, parts?: readonly Buffer[]) => number;

/**
 * Runs the requests of one connection and passes on their answers. While it `isFull`, the connection should read
 * nothing further, so that the memory used by one client is bounded.
 */
export class RequestPump {
  /** Most connections are idle. */
  private turns: ParseTurns | undefined;
  private readonly maxRunningBytes: number;
  private runningCount = 0;
  /** Memory of the running requests. */
  private runningBytes = 0;
  private refusedInARow = 0;
  private onIdle: (() => void) | undefined;

  constructor(private readonly options: RequestPumpOptions) {
    this.maxRunningBytes = options.maxRunningBytes ?? MAX_RUNNING_BYTES;
  }

  /** True while a received message waits to be parsed. */
  get isParsing(): boolean {
    return this.turns?.isWaiting === true;
  }

  /** True while enough messages are parsed or run: nothing further should be read until one is answered. */
  get isFull(): boolean {
    if (this.isParsing) return true;
    const { maxRunningRequests } = this.options;
    return this.runningCount >= maxRunningRequests || this.runningBytes > this.maxRunningBytes;
  }

  /** @param take parses a received message, once the messages before it have been parsed; must not throw */
  add(byteLength: number, take: () => void): void {
    let hasWaited = false;
    this.turns ??= new ParseTurns(this.options.connection.remoteAddress);
    this.turns.add(byteLength, () => {
      take();
      // The connection stopped reading when the message had to wait.
      if (hasWaited) this.options.onAnswered();
    });
    hasWaited = true;
  }

  /**
   * Dispatches a request and sends its answer; at once, if it needs no waiting. Never throws or rejects.
   * @param turn the request is dispatched after it, whether it resolves or rejects
   */
  run(request: Request, send: SendAnswer, turn?: Promise<unknown>): MaybePromise<void> {
    this.runningCount++;
    this.runningBytes += request.bytes;
    if (turn !== undefined) {
      const next = () => this.finish(request, this.dispatch(request), send);
      return turn.then(next, next);
    }
    const response = this.dispatch(request);
    if (isThenable(response) || this.isLong(response)) return this.finish(request, response, send);
    this.sendShort(request, response, send);
    this.end(request, response);
  }

  private dispatch(request: Request): MaybePromise<Response> {
    const { host } = this.options;
    return host.answer?.(request) ?? host.dispatch(request);
  }

  private async finish(request: Request, running: MaybePromise<Response>, send: SendAnswer): Promise<void> {
    let response: Response;
    try {
      response = await running;
    } catch (error) {
      response = this.failed(request, error);
    }
    if (this.isLong(response)) await this.sendLong(request, response, send);
    else this.sendShort(request, response, send);
    this.end(request, response);
  }

  private isLong({ message }: Response): boolean {
    return this.options.isGone !== undefined && isLongMessage(message);
  }

  private sendShort(request: Request, response: Response, send: SendAnswer): void {
    try {
      request.answerBytes = send(response);
    } catch (error) {
      this.sendFailure(request, error, send);
    }
  }

  private async sendLong(request: Request, response: Response, send: SendAnswer): Promise<void> {
    const sending = this.sendInParts(request, response, send);
    request.answerBytes = sending.catch(() => 0);
    try {
      await sending;
    } catch (error) {
      this.sendFailure(request, error, send);
    }
  }

  private sendFailure(request: Request, error: unknown, send: SendAnswer): void {
    request.answerBytes = send(this.failed(request, error));
  }

  private failed(request: Request, error: unknown): Response {
    this.options.host.log.error({ err: error, requestId: request.requestId }, 'response failed');
    return errorResponse(request, error, false);
  }

  private end(request: Request, { message }: Response): void {
    const isRefused = message.error?.id === apiErrors.too_many_requests.id;
    this.refusedInARow = isRefused ? this.refusedInARow + 1 : 0;
    this.runningCount--;
    this.runningBytes -= request.bytes;
    if (this.refusedInARow === MAX_REFUSED_IN_A_ROW) this.options.onFlooded();
    this.options.onAnswered();
    if (this.runningCount === 0) this.onIdle?.();
  }

  /** Calls back once no request runs: at once, or after the last answer. */
  whenIdle(done: () => void): void {
    if (this.runningCount === 0) done();
    else this.onIdle = done;
  }

  /** The connection has closed: drops messages that wait to be parsed. */
  close(): void {
    this.turns?.clear();
    this.onIdle = undefined;
  }

  private async sendInParts(request: Request, response: Response, send: SendAnswer): Promise<number> {
    const { options } = this;
    const { host, connection } = options;
    const isGone = () => options.isGone?.() === true;
    const account = host.bytes.open(connection.remoteAddress);
    let parts: readonly Buffer[] | undefined;
    try {
      parts = await encodeInParts(response.message, account, isGone);
    } finally {
      // From now on the outgoing queue counts these bytes.
      account.close();
    }
    if (parts !== undefined) return send(response, parts);
    return isGone() ? 0 : send(errorResponse(request, account.refusal('answer'), false));
  }
}
