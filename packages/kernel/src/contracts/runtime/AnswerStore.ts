import type { InjectionToken } from 'tsyringe';

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** Identifies user and key; reveals neither. */
  readonly id: string;
  /** Equal for requests that ask for the same; reveals nothing without the key. */
  readonly fingerprint: string;
  /** The user, by id. */
  readonly user: string;
  /** The party whose share of the store the answer takes: the user, or the address of an anonymous caller. */
  readonly holder: string;
}

/** The state of an earlier request under the same id. */
export interface EarlierRequest {
  readonly fingerprint: string;
  /** True while it runs on another node of the cluster. */
  readonly isRunning: boolean;
  /** Its answer as text; null while it runs, and if the answer was not kept. */
  readonly answer: string | null;
}

/**
 * Keeps the answers to requests with an idempotency key for 24 hours, also over a restart, and for all nodes of a
 * cluster. Calls for one id never overlap on a node: the caller ensures this. All methods reject with
 * storage.unavailable (503) while the store can't be reached.
 */
export interface AnswerStore {
  /**
   * Claims the id for this request, which must then `keep` or `release` it. A claim ends with its node.
   * @returns the earlier request under this id, null if there is none
   * @throws idempotency.too_many_keys (429) if the share of the holder is used up
   */
  claim(request: KeyedRequest): Promise<EarlierRequest | null>;
  /**
   * Ends a claim: the request has been executed.
   * @param answer null if it can't be repeated; also not kept if the share of the holder is used up
   */
  keep(request: KeyedRequest, answer: string | null): Promise<void>;
  /** Ends a claim: the request may be executed again. */
  release(request: KeyedRequest): Promise<void>;
}

/** The answers kept by this server. */
export const ANSWER_STORE: InjectionToken<AnswerStore> = Symbol.for('millrace.AnswerStore');
