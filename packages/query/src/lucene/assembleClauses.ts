/*
 * What the parts of a query in text are to each other. That depends on which of them say anything: a word of which the
 * analyzers leave nothing is no part at all, and the operators around it meet what stood before it. Both languages go from
 * left to right, each by the rules of its parser in Lucene.
 */
import type { LuceneGroup, LuceneLeaf, LuceneNode, LucenePart } from './LuceneNode.js';

/** A query in text whose parts are required, optional or excluded. */
export type LuceneTree = LuceneLeaf | LuceneClauses;

export interface LuceneClauses {
  readonly kind: 'clauses';
  readonly clauses: readonly LuceneClause[];
  readonly boost: number;
}

export interface LuceneClause {
  readonly occur: 'must' | 'should' | 'must_not';
  readonly node: LuceneTree;
}

export interface AssemblyOptions {
  /** The forgiving language. */
  readonly isSimple: boolean;
  readonly defaultOperator: 'or' | 'and';
  /** Whether nothing is left of it. */
  readonly isNothing: (leaf: LuceneLeaf) => boolean;
}

/** Undefined where nothing is left. */
export function assembleClauses(
  node: LuceneNode,
  options: AssemblyOptions,
): LuceneTree | undefined {
  if (node.kind === 'empty') return undefined;
  if (node.kind !== 'group') return options.isNothing(node) ? undefined : node;
  const tree = options.isSimple ? assembleSimple(node, options) : assembleFull(node, options);
  return tree === undefined || node.boost === 1
    ? tree
    : { ...tree, boost: tree.boost * node.boost };
}

/** AND makes the part before it required too; OR makes it optional where parts are required otherwise. */
function assembleFull({ parts }: LuceneGroup, options: AssemblyOptions): LuceneTree | undefined {
  const isAndByDefault = options.defaultOperator === 'and';
  const clauses: { occur: LuceneClause['occur']; node: LuceneTree; isFirst: boolean }[] = [];
  for (const [i, { conjunction, modifier, node }] of parts.entries()) {
    const previous = clauses.at(-1);
    if (previous !== undefined && previous.occur !== 'must_not') {
      if (conjunction === 'AND') previous.occur = 'must';
      if (conjunction === 'OR' && isAndByDefault) previous.occur = 'should';
    }
    const tree = assembleClauses(node, options);
    if (tree === undefined) continue;
    const isRequired = isAndByDefault
      ? conjunction !== 'OR'
      : conjunction === 'AND' || modifier === '+';
    clauses.push({
      occur: modifier === 'NOT' ? 'must_not' : isRequired ? 'must' : 'should',
      node: tree,
      isFirst: i === 0,
    });
  }
  const [only, second] = clauses;
  if (only === undefined) return undefined;
  // What stands first without a sign, and then alone, is no clause, which a minimum of clauses would count.
  if (second === undefined && only.isFirst && parts[0]?.modifier === undefined) return only.node;
  return { kind: 'clauses', clauses, boost: 1 };
}

/** An operator holds until a part follows; where it is another than before, all before it becomes one part. */
function assembleSimple({ parts }: LuceneGroup, options: AssemblyOptions): LuceneTree | undefined {
  const byDefault = options.defaultOperator === 'and' ? 'must' : 'should';
  let top: LuceneTree | undefined;
  let joinedBy: LuceneClause['occur'] | undefined;
  let pending: LucenePart['conjunction'];
  for (const { conjunction, modifier, node } of parts) {
    if (top !== undefined) pending ??= conjunction;
    const tree = assembleClauses(node, options);
    if (tree === undefined) continue;
    const branch = modifier === 'NOT' ? negated(tree) : tree;
    if (top === undefined) {
      top = branch;
      continue;
    }
    const occur = pending === undefined ? byDefault : pending === 'AND' ? 'must' : 'should';
    const before: readonly LuceneClause[] =
      top.kind === 'clauses' && joinedBy === occur ? top.clauses : [{ occur, node: top }];
    top = { kind: 'clauses', clauses: [...before, { occur, node: branch }], boost: 1 };
    joinedBy = occur;
    pending = undefined;
  }
  return top;
}

function negated(node: LuceneTree): LuceneTree {
  return { kind: 'clauses', clauses: [{ occur: 'must_not', node }], boost: 1 };
}
