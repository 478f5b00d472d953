import type { ActionMap } from './ActionMap.js';

/** The fields of a message before any check. */
export type MessageFields = Readonly<Record<string, unknown>>;

/** Fields that every message may have. */
export interface CommonFields {
  /** Comes back in the response: 1 to 128 printable ASCII characters. Default: one that the server makes. */
  readonly requestId?: string;
  /** Comes back in the response and in notifications. */
  readonly metadata?: object;
  /** The token of a user; it takes precedence over `headers.authorization`. */
  readonly jwt?: string;
  /**
   * Identifies a write, so that it is executed once however often it is sent: 1 to 128 printable ASCII characters
   * without spaces.
   */
  readonly idempotencyKey?: string;
  readonly headers?: { readonly authorization?: string };
}

/** An argument that must be given, either as a field of the message or in its body. */
export type FieldOrBody<T> = T | { readonly body: T };

/**
 * The fields of a message to an action, apart from `controller` and `action`: its arguments and its body. Any fields where
 * controller or action is only known at run time.
 */
export type ActionFields<C extends string, A extends string> = string extends C | A
  ? MessageFields
  : C extends keyof ActionMap
    ? A extends keyof ActionMap[C]
      ? CommonFields & FieldsOf<ActionMap[C][A]>
      : Unknown<`ActionMap has no action ${C}.${A}`>
    : Unknown<`ActionMap has no controller ${C}`>;

/** A field that no message has: the compiler shows its name. */
type Unknown<Problem extends string> = MessageFields & { readonly [K in Problem]: never };

type FieldsOf<D> = D extends { readonly fields: infer F } ? F : never;

/** A message to an action: its names, and the fields that follow from them. */
export type ActionMessage<C extends string, A extends string> = {
  readonly controller?: C;
  readonly action?: A;
} & ActionFields<C, A>;
