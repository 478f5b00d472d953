import type { FieldIndex } from '../fields/FieldIndex.js';
import type { CollectionIndex } from '../index/CollectionIndex.js';
import { constantMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';

/** Documents that have a value in at least one of the fields, with a constant score. */
export class ExistsNode implements QueryNode {
  readonly test: (slot: number) => boolean;

  constructor(
    private readonly index: CollectionIndex,
    private readonly fields: readonly FieldIndex[],
    readonly constantScore: number,
  ) {
    const [only] = fields;
    this.test =
      fields.length === 1 && only !== undefined
        ? (slot) => only.has(slot)
        : (slot) => fields.some((field) => field.has(slot));
  }

  estimate(): number {
    return this.fields.length === 0 ? 0 : this.index.livingCount;
  }

  match(): Matches {
    return constantMatches(this.index.living().filter(this.test), this.constantScore);
  }
}
