import type { JsonObject } from '@millrace/kernel';
import type { Mismatch, RequestBody } from './Answer.js';
import type { Difference } from './Difference.js';

/** What an exception may look at. */
export interface Case extends Mismatch {
  readonly sides: Difference['sides'];
  readonly request: RequestBody;
  readonly mapping: JsonObject;
}
