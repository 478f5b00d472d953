import type { FunctionScoreQuery } from '@millrace/query';
import type { Deadline } from '../Deadline.js';
import type { CollectionIndex } from '../index/CollectionIndex.js';
import { Refusal } from '../Refusal.js';
import { filterMatches, scoreAt, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';
import type { SlotFunction } from './scoreFunctions.js';
import { advance } from './setOperations.js';

/** Bit mask: the deadline is checked once per 65,536 documents. */
const CHECK_MASK = 0xffff;

/** A function with its weight, and the documents it applies to (undefined: all). */
export interface WeightedFunction {
  readonly filter: QueryNode | undefined;
  readonly weight: number;
  readonly valueOf: SlotFunction;
}

type Options = Pick<FunctionScoreQuery, 'scoreMode' | 'boostMode' | 'boost' | 'maxBoost' | 'minScore' | 'path'>;

/**
 * The documents of a query, their scores modified by functions; documents below the minimum are left out. The boost
 * applies to the query's scores, not to the functions.
 */
export class FunctionScoreNode implements QueryNode {
  constructor(
    private readonly index: CollectionIndex,
    private readonly inner: QueryNode,
    private readonly functions: readonly WeightedFunction[],
    private readonly options: Options,
    private readonly deadline: Deadline,
  ) {}

  estimate(): number {
    return this.inner.estimate();
  }

  match(isScored: boolean): Matches {
    const { boost, boostMode, minScore } = this.options;
    if (!isScored && minScore === undefined) return this.inner.match(false);
    const { dead } = this.index;
    const all = this.inner.match(boostMode !== 'replace' || this.functions.length === 0);
    // A deleted document without a value is not an error.
    const matches = this.index.deadCount === 0 ? all : filterMatches(all, (slot) => dead[slot] === 0);
    const { slots } = matches;
    const factors = this.factorsOf(slots);
    const kept = new Int32Array(slots.length);
    const scores = new Float64Array(slots.length);
    let count = 0;
    for (let i = 0; i < slots.length; i += 1) {
      const score = this.combine(scoreAt(matches, i) * boost, factors[i] as number);
      if (!(score >= 0)) this.refuse(score);
      if (minScore !== undefined && Math.fround(score) < Math.fround(minScore)) continue;
      scores[count] = score;
      kept[count++] = slots[i] as number;
    }
    return { slots: kept.subarray(0, count), scores: scores.subarray(0, count), score: 0 };
  }

  /** By position: the combined value of the functions; 1 if no function applies to the document. */
  private factorsOf(slots: Int32Array): Float64Array {
    const { scoreMode } = this;
    const totals = new Float64Array(slots.length);
    const weights = new Float64Array(slots.length);
    const isTouched = new Uint8Array(slots.length);
    for (const { filter, weight, valueOf } of this.functions) {
      const accepted = filter?.match(false).slots;
      this.deadline.check();
      let j = 0;
      for (let i = 0; i < slots.length; i += 1) {
        if ((i & CHECK_MASK) === CHECK_MASK) this.deadline.check();
        const slot = slots[i] as number;
        if (scoreMode === 'first' && isTouched[i] === 1) continue;
        if (accepted !== undefined) {
          j = advance(accepted, j, slot);
          if (j === accepted.length) break;
          if (accepted[j] !== slot) continue;
        }
        const value = valueOf(slot) * weight;
        totals[i] = isTouched[i] === 0 ? value : joined(scoreMode, totals[i] as number, value);
        weights[i] = (weights[i] as number) + weight;
        isTouched[i] = 1;
      }
    }
    const isSum = scoreMode === 'avg' || scoreMode === 'sum';
    for (let i = 0; i < slots.length; i += 1) {
      // Weights that sum to 0 count as no function at all.
      if (isTouched[i] === 0 || (isSum && weights[i] === 0)) totals[i] = 1;
      else if (scoreMode === 'avg') totals[i] = (totals[i] as number) / (weights[i] as number);
    }
    return totals;
  }

  /** A single function for all documents is the factor, whatever the mode. */
  private get scoreMode(): FunctionScoreQuery['scoreMode'] {
    const [only, second] = this.functions;
    const isPlain = only !== undefined && second === undefined && only.filter === undefined;
    return isPlain ? 'multiply' : this.options.scoreMode;
  }

  private combine(score: number, value: number): number {
    if (this.functions.length === 0) return score;
    const factor = Math.min(value, this.options.maxBoost, MAX_FLOAT);
    switch (this.options.boostMode) {
      case 'multiply':
        return score * factor;
      case 'replace':
        return factor;
      case 'sum':
        return score + factor;
      case 'avg':
        return (score + factor) / 2;
      case 'max':
        return Math.max(score, factor);
      case 'min':
        return Math.min(score, factor);
    }
  }

  private refuse(score: number): never {
    throw new Refusal(
      `function_score gives ${Number.isNaN(score) ? 'no number' : String(score)} as a score (at ${this.options.path}): scores must be at least 0`,
    );
  }
}

/** A factor larger than the largest score counts as the largest score. */
const MAX_FLOAT = 3.402_823_466_385_288_6e38;

function joined(mode: FunctionScoreQuery['scoreMode'], total: number, value: number): number {
  switch (mode) {
    case 'multiply':
      return total * value;
    case 'sum':
    case 'avg':
      return total + value;
    case 'max':
      return Math.max(total, value);
    case 'min':
      return Math.min(total, value);
    case 'first':
      return total;
  }
}
