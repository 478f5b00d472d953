import type { JsonObject } from '@millrace/kernel';
import type { Mismatch } from './Answer.js';

/** A point where two sides part, with all that is needed to see it again. */
export interface Difference extends Mismatch {
  readonly seed: number;
  readonly run: number;
  /** Which two were compared. */
  readonly sides: 'embedded, server' | 'embedded, raw server' | 'embedded, embedded after changes';
  /** After `shrink`: as small as was found. */
  readonly request: unknown;
  readonly mapping: JsonObject;
  readonly documents: readonly { readonly id: string; readonly source: JsonObject }[];
  /** False where a fresh collection with the same documents shows no difference: the upkeep of the index is at fault. */
  readonly isSeenAfresh: boolean;
  /** Name of the listed exception it falls under. */
  readonly exception?: string;
}
