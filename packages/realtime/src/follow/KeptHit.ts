import type { JsonValue } from '@millrace/kernel';
import type { WindowHit } from './WindowHit.js';

/** A hit whose place is known. */
export interface KeptHit extends WindowHit {
  /** The values of all criteria of the order; no two hits have the same. */
  readonly sort: readonly JsonValue[];
}
