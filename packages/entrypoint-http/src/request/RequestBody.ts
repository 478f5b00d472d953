import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { apiErrors, type ByteAccount, type JsonObject, isThenable, MillraceError } from '@millrace/kernel';
import type { Afterwards } from '../response/writeResponse.js';
import { BufferedBody } from './BufferedBody.js';
import { ListBody } from './ListBody.js';
import { isForm, isLines, parseBody, refusedMediaType, type TakenTypes } from './parseBody.js';
import { parseForm } from './parseForm.js';
import { BODY_BROKEN, readBody, type BodySink } from './readBody.js';

const CHUNK_BYTES = 65_536;

/** Which bodies are accepted, and from whom. */
export interface BodyRules {
  /** Largest body, in bytes, that any caller may send. */
  readonly maxBytes: number;
  /**
   * For an action that accepts larger bodies: these are read only if the sender is authorised. Absent: larger bodies
   * are refused.
   */
  readonly large?: {
    readonly maxBytes: number;
    /** @returns the refusal; undefined if the body may be read */
    readonly decide: () => Promise<MillraceError | undefined>;
  };
  readonly takesForm: boolean;
  /** The list whose items may be sent one per line; absent: such a body is refused. */
  readonly lines?: { readonly list: string; readonly maxItems: number };
  /** Opens the account for bytes held for the client's address. */
  readonly open: () => ByteAccount;
}

/** The outcome of receiving a body. */
export interface ReceivedBody {
  readonly afterwards: Afterwards;
  /** Absent: none was sent, or it is refused. */
  readonly body?: JsonObject | null;
  /** Approximate memory used by it. */
  readonly bytes?: number;
  readonly fault?: MillraceError;
}

export const NO_BODY: ReceivedBody = { afterwards: 'keep' };

/** Receives the body of one request. */
export class RequestBody {
  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    /** True on the server of another application, which may have read the body and sends its own `100 Continue`. */
    private readonly isMounted: boolean,
  ) {}

  /**
   * Reads the body that the request has, or discards it, so that the connection can be reused.
   * @param rules absent: the body is discarded, up to `maxBytes`
   * @returns undefined if the client has disconnected
   */
  async receive(maxBytes: number, rules: BodyRules | undefined): Promise<ReceivedBody | undefined> {
    const { request } = this;
    if (this.isMounted && request.readableEnded) {
      return rules === undefined ? NO_BODY : this.takeReadBody(rules);
    }
    if (rules === undefined) return this.discard(maxBytes);
    const isLarge = this.isLarge(rules);
    const refused = this.refusedHead(rules, isLarge) ?? (isLarge ? await this.decide(rules) : undefined);
    if (refused !== undefined) return this.refuse(refused);
    if (!this.isMounted && this.awaitsGoAhead) this.response.writeContinue();
    return isLarge ? this.readLarge(rules) : this.readSmall(rules);
  }

  /** The client waits for a `100 Continue` before it sends its body; it gets none if the answer is already known. */
  private get awaitsGoAhead(): boolean {
    return this.request.headers.expect?.toLowerCase() === '100-continue';
  }

  private isLarge({ large, maxBytes }: BodyRules): boolean {
    const length = this.request.headers['content-length'];
    return large !== undefined && (length === undefined || Number(length) > maxBytes);
  }

  /**
   * The problem with a body according to its headers. A chunked body may turn out to be empty: its type is then
   * irrelevant.
   */
  private refusedHead(rules: BodyRules, isLarge: boolean): MillraceError | undefined {
    const { headers } = this.request;
    const length = headers['content-length'];
    const refused = length !== undefined || isLarge ? refusedMediaType(headers, takenTypes(rules)) : undefined;
    if (refused !== undefined) return refused;
    const maxBytes = rules.large?.maxBytes ?? rules.maxBytes;
    return Number(length ?? 0) > maxBytes ? apiErrors.body_too_large({ maxBytes }) : undefined;
  }

  /**
   * Authenticates and authorises before the body is read. Data that arrives in the meantime waits in the socket, and
   * may turn out malformed.
   */
  private async decide({ large }: BodyRules): Promise<MillraceError | undefined> {
    let broken: MillraceError | undefined;
    const onBroken = (error: MillraceError) => (broken = error);
    this.request.on(BODY_BROKEN, onBroken);
    const refused = await large?.decide();
    this.request.off(BODY_BROKEN, onBroken);
    return broken ?? refused;
  }

  private refuse(fault: MillraceError): ReceivedBody {
    return { afterwards: this.awaitsGoAhead && !this.isMounted ? 'close' : 'linger', fault };
  }

  private async readSmall(rules: BodyRules): Promise<ReceivedBody | undefined> {
    const sink = new BufferedBody(rules.open);
    try {
      const read = await this.read(rules.maxBytes, sink);
      if (read !== COMPLETE) return read;
      const parsed = sink.parse((bytes) => this.parse(bytes, rules));
      return isThenable(parsed) ? await parsed : parsed;
    } finally {
      sink.release();
    }
  }

  private async readLarge(rules: BodyRules): Promise<ReceivedBody | undefined> {
    const sink = this.listBody(rules);
    try {
      const read = await this.read(rules.large?.maxBytes ?? rules.maxBytes, sink);
      return read === COMPLETE ? endOf(sink) : read;
    } finally {
      // From now on the request counts it.
      sink.release();
    }
  }

  private listBody({ maxBytes, lines, open }: BodyRules): ListBody {
    const { list = '', maxItems = 0 } = lines ?? {};
    const limits = { list, maxItems, maxItemBytes: maxBytes };
    return new ListBody({ ...limits, isLines: isLines(this.request.headers) }, open());
  }

  private parseLines(bytes: Buffer, rules: BodyRules): ReceivedBody {
    const sink = this.listBody(rules);
    try {
      const fault = sink.take(bytes);
      return fault === undefined ? endOf(sink) : faulty(fault);
    } finally {
      sink.release();
    }
  }

  private parse(bytes: Buffer, rules: BodyRules): ReceivedBody {
    if (bytes.length === 0) return NO_BODY;
    const { headers } = this.request;
    const refused = refusedMediaType(headers, takenTypes(rules));
    if (refused !== undefined) return faulty(refused);
    if (isForm(headers)) {
      const form = parseForm(bytes);
      return form instanceof MillraceError ? faulty(form) : { afterwards: 'keep', body: form };
    }
    if (isLines(headers)) return this.parseLines(bytes, rules);
    const parsed = parseBody(bytes);
    if (parsed instanceof MillraceError) return faulty(parsed);
    return { afterwards: 'keep', body: parsed.body, bytes: parsed.bytes };
  }

  private async discard(maxBytes: number): Promise<ReceivedBody | undefined> {
    if (!this.isMounted && this.awaitsGoAhead) return { afterwards: 'close' };
    const read = await this.read(maxBytes);
    if (read === COMPLETE) return NO_BODY;
    // The answer is known already, so the excess size is irrelevant.
    return read === undefined || read.afterwards === 'close' ? read : { afterwards: read.afterwards };
  }

  private async read(maxBytes: number, sink?: BodySink): Promise<ReceivedBody | typeof COMPLETE | undefined> {
    const tooLarge = () => apiErrors.body_too_large({ maxBytes });
    const outcome = await readBody(this.request, maxBytes, tooLarge, sink);
    switch (outcome.kind) {
      case 'complete':
        return COMPLETE;
      case 'refused':
        return { afterwards: 'linger', fault: outcome.error };
      case 'broken':
        return { afterwards: 'close', fault: outcome.error };
      case 'aborted':
        return undefined;
    }
  }

  /** The application around has read the body with its own parsers: their result is subject to the same rules. */
  private async takeReadBody(rules: BodyRules): Promise<ReceivedBody> {
    const bytes = readBodyBytes(this.request);
    if (bytes === undefined) {
      const problem =
        'the application around the server has read the body and left none: mount Millrace before its body parser';
      return faulty(apiErrors.invalid_request({ problem }));
    }
    if (bytes.length === 0) return NO_BODY;
    if (bytes.length <= rules.maxBytes) return this.parse(bytes, rules);
    const { large } = rules;
    if (large === undefined || bytes.length > large.maxBytes) {
      const maxBytes = large?.maxBytes ?? rules.maxBytes;
      return faulty(apiErrors.body_too_large({ maxBytes }));
    }
    const refused = refusedMediaType(this.request.headers, takenTypes(rules)) ?? (await large.decide());
    if (refused !== undefined) return faulty(refused);
    return this.takeLargeBytes(bytes, rules);
  }

  private async takeLargeBytes(bytes: Buffer, rules: BodyRules): Promise<ReceivedBody> {
    const sink = this.listBody(rules);
    try {
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
        const fault = sink.take(bytes.subarray(at, at + CHUNK_BYTES));
        if (fault !== undefined) return faulty(fault);
        await nextTurn();
      }
      return endOf(sink);
    } finally {
      sink.release();
    }
  }
}

const COMPLETE = Symbol('complete');

function takenTypes({ takesForm, lines }: BodyRules): TakenTypes {
  return { takesForm, takesLines: lines !== undefined };
}

function endOf(sink: ListBody): ReceivedBody {
  const body = sink.end();
  if (body instanceof MillraceError) return faulty(body);
  return { afterwards: 'keep', body, bytes: sink.heldBytes };
}

function faulty(fault: MillraceError): ReceivedBody {
  return { afterwards: 'keep', fault };
}

/**
 * The bytes of a body that another application has already read, from the `body` property set by its parser: bytes, a
 * string, or a value that is stringified again.
 * @returns undefined if there is none
 */
function readBodyBytes(request: IncomingMessage & { readonly body?: unknown }): Buffer | undefined {
  const { body, headers } = request;
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  if (typeof body !== 'object' || body === null) return undefined;
  if (!isForm(headers)) return Buffer.from(JSON.stringify(body));
  const texts = Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Buffer.from(new URLSearchParams(texts).toString());
}
