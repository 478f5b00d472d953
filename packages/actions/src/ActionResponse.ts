import type { ActionMap } from './ActionMap.js';
import type { JsonValue } from './Json.js';
import type { ResponseMessage, WireError } from './ResponseMessage.js';

type Envelope = Omit<ResponseMessage, 'status' | 'error' | 'result'>;

/** Status of a failed request. Literals, so that `status === 200` tells TypeScript which response it is. */
export type FailureStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 406
  | 408
  | 409
  | 410
  | 411
  | 412
  | 413
  | 414
  | 415
  | 416
  | 417
  | 422
  | 423
  | 424
  | 425
  | 426
  | 428
  | 429
  | 431
  | 451
  | 500
  | 501
  | 502
  | 503
  | 504
  | 505
  | 507
  | 508;

/** The action succeeded. */
export type SuccessResponse<R> = Envelope & {
  readonly status: 200;
  readonly error: null;
  readonly result: R;
};

/** Some items of several failed: `error.details` lists them. */
export type PartialResponse<R> = Envelope & {
  readonly status: 206;
  readonly error: WireError;
  readonly result: R;
};

/** A login continues at a provider: the client opens `result.headers.Location`. */
export type RedirectResponse = Envelope & {
  readonly status: 302;
  readonly error: null;
  readonly result: {
    readonly headers: { readonly 'Content-Length': string; readonly Location: string };
    readonly statusCode: 302;
    readonly state?: string;
    readonly stateSecret?: string;
  };
};

/** The action failed. `result` is null, except for refused specifications and where a plugin sets it. */
export type FailureResponse = Envelope & {
  readonly status: FailureStatus;
  readonly error: WireError;
  readonly result: JsonValue;
};

type ResponseOf<D> =
  | FailureResponse
  | (D extends { readonly result: infer R } ? SuccessResponse<R> : never)
  | (D extends { readonly result: infer R; readonly mayFailInPart: true } ? PartialResponse<R> : never)
  | (D extends { readonly mayRedirect: true } ? RedirectResponse : never);

/**
 * The response of an action: a union told apart by `error` and `status`. Untyped (`ResponseMessage`) where controller or
 * action is only known at run time.
 */
export type ActionResponse<C extends string, A extends string> = string extends C | A
  ? ResponseMessage
  : C extends keyof ActionMap
    ? A extends keyof ActionMap[C]
      ? ResponseOf<ActionMap[C][A]>
      : never
    : never;
