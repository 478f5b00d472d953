import type { JsonObject, SearchOutcome } from '@millrace/kernel';

/** The outcome of a search on one engine, or the id and the message of its refusal. */
export type Answer =
  | { readonly isRefused: false; readonly outcome: SearchOutcome }
  | { readonly isRefused: true; readonly error: string; readonly reason: string };

/** The answers of both engines to one request. */
export interface Answers {
  readonly embedded: Answer;
  readonly elasticsearch: Answer;
}

/** One point in which the answers differ. */
export interface Mismatch {
  /** The part of the answer: `total`, `hits`, `ranking`, `highlight`, `aggregations.a0.sum`, … */
  readonly kind: string;
  /** Of the embedded engine. */
  readonly left: unknown;
  /** Of Elasticsearch. */
  readonly right: unknown;
}

/** A search of one collection as a user writes it. */
export type RequestBody = JsonObject;
