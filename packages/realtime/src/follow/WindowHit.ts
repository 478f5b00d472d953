/** A hit in the window of a followed search. */
export interface WindowHit {
  readonly id: string;
  readonly version: number;
  /** The hit as JSON, as the search returned it. */
  readonly json: string;
}

/** Of a kept string, the worst case. */
export const BYTES_PER_CHARACTER = 2;
/** The object, its id, and the headers of the pieces that `JSON.stringify` joins. */
const BYTES_PER_HIT = 128;

/** Estimated memory of a hit. */
export function windowHitBytes({ json }: WindowHit): number {
  return BYTES_PER_HIT + BYTES_PER_CHARACTER * json.length;
}
