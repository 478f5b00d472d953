import { BoolNode } from './BoolNode.js';
import { DisMaxNode } from './DisMaxNode.js';
import { KeywordTermNode } from './KeywordTermNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';

type TermNode = KeywordTermNode | TextTermNode;

/**
 * Optional clauses of which one is enough, as Lucene writes them: what is a choice of clauses itself gives its own, and a
 * term that is there several times becomes one, with the sum of the boosts and as frequent as the first of them; which
 * of them a server takes differs from start to start where their boosts do. All that shows where terms count as more
 * frequent than they are; other clauses are returned as they are.
 */
export function mergeTerms(clauses: readonly QueryNode[]): readonly QueryNode[] {
  if (clauses.length < 2 || !clauses.some(holdsBlended)) return clauses;
  const merged: QueryNode[] = [];
  const places = new Map<unknown, Map<number, number>>();
  for (const node of clauses.flatMap(choicesOf)) {
    // A term worth nothing is only found, which is another query to Lucene.
    if (!isTerm(node) || node.code === undefined || node.boost === 0) {
      merged.push(node);
      continue;
    }
    let byCode = places.get(node.index);
    if (byCode === undefined) places.set(node.index, (byCode = new Map<number, number>()));
    const place = byCode.get(node.code);
    if (place === undefined) byCode.set(node.code, merged.push(node) - 1);
    else merged[place] = (merged[place] as TermNode).withMoreBoost(node.boost);
  }
  return merged;
}

function choicesOf(clause: QueryNode): readonly QueryNode[] {
  const isChoice = clause instanceof BoolNode || clause instanceof DisMaxNode;
  const choices = isChoice ? clause.choices : undefined;
  // Those of a query over several fields hold choices themselves.
  return choices?.flatMap(choicesOf) ?? [clause];
}

function holdsBlended(clause: QueryNode): boolean {
  return choicesOf(clause).some((node) => isTerm(node) && node.matchCount !== undefined);
}

function isTerm(node: QueryNode): node is TermNode {
  return node instanceof TextTermNode || node instanceof KeywordTermNode;
}
