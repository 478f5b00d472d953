import type { JsonObject, JsonValue } from './Json.js';

/** The `error` object of a response (PROTO-12). */
export interface WireError {
  /** A stable dotted name, such as `document.not_found`. */
  readonly id: string;
  readonly status: number;
  readonly message: JsonValue;
  /** An array or object for programs. */
  readonly details?: JsonValue;
  /** Only with `server.exposeStack`. */
  readonly stack?: string;
  readonly [member: string]: JsonValue | undefined;
}

/** The response message: every field is always there (PROTO-10). */
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
  /** The token used, on actions that repeat it. */
  readonly jwt?: string;
  /** True if the request repeated the idempotency key of an earlier one: the answer is that of the earlier request. */
  readonly replayed?: true;
}
