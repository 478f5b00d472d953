import type { BoundCrossFields, BoundTerm, CoercedTerm } from '@millrace/query';
import type { FieldIndex } from '../fields/FieldIndex.js';
import { indexOf, type SearchScope } from '../SearchScope.js';
import { anyOf, disMax } from './anyOf.js';
import { combineWords } from './compileMatch.js';
import { termNode } from './compileTerm.js';
import { KeywordTermNode } from './KeywordTermNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';
import { NO_DOCUMENT } from './setNode.js';

/** A term of one field, scored with adjusted document counts. */
interface BlendedTerm {
  /** Number of documents that have the field. */
  readonly documentCount: number;
  /** Number of documents that have the term. */
  readonly matchCount: number;
  readonly nodeFor: (matchCount: number) => QueryNode;
}

/*
 * One text query over several fields treated as one: each term may be in any field and the best field counts. All
 * fields use the term's highest document frequency among them, so a field in which a word happens to be rare gets no
 * advantage.
 */
export function compileCrossFields(query: BoundCrossFields, scope: SearchScope): QueryNode {
  const nodes = query.words.map((terms) =>
    anyOf(
      terms.map((inFields) => termInFields(inFields, query, scope)),
      scope,
    ),
  );
  return combineWords(nodes, query, scope);
}

/** One term in any of the fields. */
function termInFields(inFields: readonly BoundTerm[], query: BoundCrossFields, scope: SearchScope): QueryNode {
  const blended: BlendedTerm[] = [];
  const others: QueryNode[] = [];
  for (const { mapped, term, boost: weight } of inFields) {
    const index = indexOf(scope, mapped);
    const boost = weight * query.boost;
    const found = blendedTerm(index, term, boost);
    if (found === undefined) others.push(termNode(index, term, boost, scope));
    else if (found.matchCount > 0) blended.push(found);
  }
  return bestOf([...others, ...blend(blended)], query, scope);
}

/** Undefined for values that aren't terms, such as numbers. */
function blendedTerm(index: FieldIndex | undefined, term: CoercedTerm, boost: number): BlendedTerm | undefined {
  if (term.kind !== 'text') return undefined;
  if (index?.kind === 'text') {
    const code = index.dictionary.find(term.value);
    return {
      documentCount: index.documentCount,
      matchCount: code === undefined ? 0 : index.postings.count(code),
      nodeFor: (matchCount) => new TextTermNode(index, term.value, boost, matchCount),
    };
  }
  if (index?.kind === 'term') {
    const code = index.column.dictionary.find(term.value);
    if (code === undefined) return undefined;
    return {
      documentCount: index.column.documentCount,
      matchCount: index.postings.count(code),
      nodeFor: (matchCount) => new KeywordTermNode(index, code, boost, matchCount),
    };
  }
  return undefined;
}

function blend(terms: readonly BlendedTerm[]): readonly QueryNode[] {
  const highest = Math.max(...terms.map(({ matchCount }) => matchCount));
  return terms.map(({ documentCount, nodeFor }) => nodeFor(Math.min(highest, documentCount)));
}

function bestOf(nodes: readonly QueryNode[], { tieBreaker }: BoundCrossFields, scope: SearchScope): QueryNode {
  const [only] = nodes;
  if (only === undefined) return NO_DOCUMENT;
  return nodes.length === 1 ? only : disMax(nodes, tieBreaker, 1, scope);
}
