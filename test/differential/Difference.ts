import type { JsonObject } from '@millrace/kernel';
import type { Mismatch } from './Answer.js';

/** A mismatch with everything that is needed to reproduce it. */
export interface Difference extends Mismatch {
  readonly seed: number;
  readonly run: number;
  /** As small as `shrinkJson` could make it. */
  readonly request: unknown;
  readonly mapping: JsonObject;
  readonly documents: readonly { readonly id: string; readonly source: JsonObject }[];
  /** False if a fresh collection with the same documents shows no difference: then an update of an index is at fault. */
  readonly isSeenAfresh: boolean;
}
