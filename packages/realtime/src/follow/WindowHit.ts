/** A hit in the window of a followed search. */
export interface WindowHit {
  readonly id: string;
  readonly version: number;
  /** The hit as JSON, as the search returned it. */
  readonly json: string;
}
