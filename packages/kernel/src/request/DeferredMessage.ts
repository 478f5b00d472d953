import type { JsonObject, JsonValue } from '../json/Json.js';
import type { JsonText } from './JsonText.js';
import { NO_METADATA, type Request } from './Request.js';
import type { ResponseMessage } from './Response.js';

/**
 * The message of a success whose result is JSON text. It looks like any other message, also to `JSON.stringify` and `...`;
 * only `result` is parsed when it is first read, which entrypoints don't do.
 */
export class DeferredMessage implements ResponseMessage {
  readonly requestId: string;
  readonly status = 200;
  readonly error = null;
  readonly controller: string;
  readonly action: string;
  readonly index: string | null;
  readonly collection: string | null;
  readonly metadata: JsonObject;
  readonly state = 'done';
  declare readonly result: JsonValue;
  readonly #content: JsonText;

  constructor(request: Request, content: JsonText) {
    this.requestId = request.requestId;
    this.controller = request.controller;
    this.action = request.action;
    this.index = request.index;
    this.collection = request.collection;
    this.metadata = request.metadata;
    this.#content = content;
    Object.defineProperty(this, 'result', DeferredMessage.#result);
  }

  // Of the object itself, not of its class: what copies a message takes its own properties. One getter for all of them, so
  // that the engine keeps one shape.
  static readonly #result: PropertyDescriptor = {
    configurable: true,
    enumerable: true,
    get(this: DeferredMessage): JsonValue {
      return this.#content.value;
    },
  };

  /** The same text that `JSON.stringify` would give. */
  toText(): string {
    const { metadata } = this;
    return (
      `{"requestId":${JSON.stringify(this.requestId)},"status":200,"error":null` +
      `,"controller":${JSON.stringify(this.controller)},"action":${JSON.stringify(this.action)}` +
      `,"index":${JSON.stringify(this.index)},"collection":${JSON.stringify(this.collection)}` +
      `,"metadata":${metadata === NO_METADATA ? '{}' : JSON.stringify(metadata)}` +
      `,"state":"done","result":${this.#content.text}}`
    );
  }
}
