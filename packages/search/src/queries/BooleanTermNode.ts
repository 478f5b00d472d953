import type { NumberField } from '../fields/NumberField.js';
import { lengthFactor, termWeight, type FieldStatistics } from './bm25.js';
import { constantMatches, type Matches } from './Matches.js';
import { NumberRangeNode } from './NumberRangeNode.js';
import type { QueryNode } from './QueryNode.js';

/** Documents with one boolean value, scored by BM25 like a keyword with the terms true and false. */
export class BooleanTermNode implements QueryNode {
  readonly test: (slot: number) => boolean;
  private readonly scan: NumberRangeNode;

  constructor(
    private readonly field: NumberField,
    value: boolean,
    private readonly boost: number,
  ) {
    const number = value ? 1 : 0;
    this.scan = new NumberRangeNode(field.column, number, number, 0);
    this.test = this.scan.test;
  }

  get constantScore(): number {
    return this.scoreFor(this.scan.match().slots.length);
  }

  estimate(): number {
    return this.scan.estimate();
  }

  match(isScored: boolean): Matches {
    const { slots } = this.scan.match();
    return constantMatches(slots, isScored ? this.scoreFor(slots.length) : 0);
  }

  private scoreFor(matchCount: number): number {
    const statistics = booleanStatistics(this.field);
    const weight = termWeight(statistics, matchCount, this.boost);
    return weight / (1 + lengthFactor(statistics, 1));
  }
}

/** Statistics of a boolean field, treated as a field with the terms true and false. */
function booleanStatistics({ column }: NumberField): FieldStatistics {
  let documentCount = 0;
  for (let slot = 0; slot < column.length; slot += 1) {
    if (!Number.isNaN(column.values[slot])) documentCount += 1;
  }
  let tokenCount = documentCount;
  for (const values of column.more.values()) if (values[0] !== values.at(-1)) tokenCount += 1;
  return { documentCount, tokenCount };
}
