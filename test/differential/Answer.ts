import type { JsonObject, SearchOutcome } from '@millrace/kernel';

/** What one side said to a request: its hits, or the id and the text of its refusal. */
export type Answer =
  | { readonly isRefused: false; readonly outcome: SearchOutcome }
  | { readonly isRefused: true; readonly error: string; readonly reason: string };

/** What all sides said to one request. */
export interface Answers {
  readonly embedded: Answer;
  readonly distributed: Answer;
  /** The server without our engine in front, where it was asked. */
  readonly raw: Answer | undefined;
  /** The embedded engine on the collection that went through changes, once there are any. */
  readonly upkept: Answer | undefined;
}

/** A point where two answers part. */
export interface Mismatch {
  /** What differs: `total`, `hits`, `score`, `aggregations.a0.sum`, … */
  readonly kind: string;
  readonly left: unknown;
  readonly right: unknown;
  /** Where the embedded engine alone refuses: whether the server refuses the same part by itself. */
  readonly isPartRefused?: boolean;
  /** Of the raw server, where it finds something by the fields that our engine keeps beside the documents. */
  readonly isFoundByMetadata?: boolean;
  /** Of the raw server, where it finds something by fields with `index: false`. */
  readonly isFoundUnindexed?: boolean;
  /** Of aggregations of the raw server: whether it answers the same once `min_score` is a part of the query. */
  readonly isSameByMinimum?: boolean;
  /** Of scores, where several fuzzy words may stand for one term: whether all agree once each word counts by itself. */
  readonly isSameApart?: boolean;
}

/** A search to one collection, as the user writes it. */
export type RequestBody = JsonObject;
