import type { WireError } from '../errors/toWireError.js';
import type { JsonObject, JsonValue } from '../json/Json.js';

/** Content that an entrypoint sends as it is where its protocol can (HTTP: Prometheus text, XML). */
export class RawContent {
  constructor(
    readonly contentType: string,
    readonly text: string,
  ) {}
}

/** The response message: every field is always there (decisions.md section 4). */
export interface ResponseMessage {
  readonly requestId: string;
  readonly status: number;
  readonly error: WireError | null;
  readonly controller: string | null;
  readonly action: string | null;
  readonly index: string | null;
  readonly collection: string | null;
  readonly metadata: JsonObject;
  readonly state: 'done';
  readonly result: JsonValue;
}

/** What the pipeline answers: the message, and hints for entrypoints beside it. */
export interface Response {
  readonly message: ResponseMessage;
  /** Set when the action answers other content than JSON; protocols without content types send it as `result` text. */
  readonly raw?: RawContent;
  readonly retryAfterSeconds?: number;
}
