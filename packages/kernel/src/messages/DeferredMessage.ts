import type { WireError } from '../errors/toWireError.js';
import type { JsonObject, JsonValue } from '../json/Json.js';
import type { JsonPart, JsonText } from '../json/JsonText.js';
import { envelopeHead } from './envelopeHead.js';
import type { Request } from '../contracts/request/Request.js';
import type { ResponseMessage } from '../contracts/request/Response.js';

/**
 * A message whose result is JSON text. It behaves like any other message, including `JSON.stringify` and spreading;
 * only `result` is parsed lazily when it is first read, which entrypoints don't do.
 */
export class DeferredMessage implements ResponseMessage {
  readonly requestId: string;
  readonly status: number;
  readonly error: WireError | null;
  readonly controller: string;
  readonly action: string;
  readonly index: string | null;
  readonly collection: string | null;
  readonly metadata: JsonObject;
  readonly state = 'done';
  declare readonly result: JsonValue;
  readonly #content: JsonText;

  /** @param error of a request that failed in part; null for a success */
  constructor(request: Request, content: JsonText, error: WireError | null = null) {
    this.requestId = request.requestId;
    this.status = error === null ? 200 : error.status;
    this.error = error;
    this.controller = request.controller;
    this.action = request.action;
    this.index = request.index;
    this.collection = request.collection;
    this.metadata = request.metadata;
    this.#content = content;
    Object.defineProperty(this, 'result', DeferredMessage.#result);
  }

  // A property of the instance, not of the class: code that copies a message copies own properties. One getter for all
  // instances, so that the JavaScript engine keeps a single shape.
  static readonly #result: PropertyDescriptor = {
    configurable: true,
    enumerable: true,
    get(this: DeferredMessage): JsonValue {
      return this.#content.value;
    },
  };

  /** Length of the result in characters. */
  get resultLength(): number {
    return this.#content.length;
  }

  /** The same text as that of `JSON.stringify`. */
  toText(): string {
    return `${envelopeHead(this)}${this.#content.text}}`;
  }

  /** The same text in parts, without copies. */
  toParts(): readonly JsonPart[] {
    return [envelopeHead(this), ...this.#content.parts, '}'];
  }
}
