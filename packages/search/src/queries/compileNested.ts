import type { BoundQuery, NestedQuery } from '@millrace/query';
import type { SearchScope } from '../SearchScope.js';
import type { CollectionIndex } from '../index/CollectionIndex.js';
import { NestedIndex, ancestorSlot } from '../index/NestedIndex.js';
import { nestedScope } from '../nestedScope.js';
import type { Compile } from './Compilers.js';
import { constantMatches, filterMatches, scoreAt, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';
import { NO_DOCUMENT } from './setNode.js';

/** Documents with a nested object that matches. */
export function compileNested(query: NestedQuery<BoundQuery>, scope: SearchScope, compile: Compile): QueryNode {
  const { nestedPath } = query;
  // The scope already consists of its objects.
  const { index } = scope;
  if (index instanceof NestedIndex && index.nestedPath === nestedPath) {
    return compile(query.query, scope);
  }
  const inside = nestedScope(scope, nestedPath);
  if (inside === undefined) return NO_DOCUMENT;
  const inner = compile(query.query, inside);
  return new NestedNode(scope.index, inside.index, inner, query.scoreMode, query.boost);
}

/** Documents (or objects) with a matching nested object; their score is computed from the scores of these objects. */
class NestedNode implements QueryNode {
  constructor(
    private readonly index: CollectionIndex,
    private readonly objects: NestedIndex,
    private readonly inner: QueryNode,
    private readonly scoreMode: NestedQuery['scoreMode'],
    private readonly boost: number,
  ) {}

  estimate(): number {
    return Math.min(this.inner.estimate(), this.index.slotCount);
  }

  match(isScored: boolean): Matches {
    const wantsScores = isScored && this.scoreMode !== 'none';
    const { dead } = this.objects;
    const found = filterMatches(this.inner.match(wantsScores), (slot) => dead[slot] === 0);
    const slots = new Int32Array(found.slots.length);
    const scores = new Float64Array(found.slots.length);
    const counts = new Int32Array(found.slots.length);
    let count = 0;
    for (let i = 0; i < found.slots.length; i += 1) {
      const slot = ancestorSlot(this.objects, found.slots[i] as number, this.index);
      const score = scoreAt(found, i);
      if (count > 0 && slots[count - 1] === slot) {
        scores[count - 1] = this.join(scores[count - 1] as number, score);
        counts[count - 1] = (counts[count - 1] as number) + 1;
      } else {
        slots[count] = slot;
        scores[count] = score;
        counts[count++] = 1;
      }
    }
    if (!wantsScores) return constantMatches(slots.slice(0, count), 0);
    for (let i = 0; i < count; i += 1) {
      const divisor = this.scoreMode === 'avg' ? (counts[i] as number) : 1;
      scores[i] = ((scores[i] as number) * this.boost) / divisor;
    }
    return { slots: slots.subarray(0, count), scores: scores.subarray(0, count), score: 0 };
  }

  private join(a: number, b: number): number {
    switch (this.scoreMode) {
      case 'avg':
      case 'sum':
        return a + b;
      case 'min':
        return Math.min(a, b);
      case 'max':
        return Math.max(a, b);
      case 'none':
        return 0;
    }
  }
}
