import { lowerCase } from '@millrace/language';
import {
  coerceTerm,
  type CompiledField,
  type CrossFieldsQuery,
  type WeightedField,
} from '@millrace/query';
import { queriedField, type SearchScope } from '../SearchScope.js';
import { AllNode } from './AllNode.js';
import { analyse } from './analyse.js';
import { anyOf } from './anyOf.js';
import { byPosition } from './byPosition.js';
import { combineTokens, lenientValueNode } from './compileMatch.js';
import { DisMaxNode } from './DisMaxNode.js';
import { KeywordTermNode } from './KeywordTermNode.js';
import { NoneNode } from './NoneNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';

interface Weighted {
  readonly field: CompiledField;
  readonly boost: number;
}

/** A term of one field, scored with adjusted document counts. */
interface BlendedTerm {
  /** Number of documents that have the field. */
  readonly documentCount: number;
  /** Number of documents that have the term. */
  readonly matchCount: number;
  readonly nodeFor: (matchCount: number) => QueryNode;
}

/*
 * One text query over several fields treated as one. The fields with the same analyzer are a group; in a group each
 * term may be in any field and the best field counts. All fields use the term's highest document frequency among them,
 * so a field in which a word happens to be rare gets no advantage.
 */
export function compileCrossFields(query: CrossFieldsQuery, scope: SearchScope): QueryNode {
  const nodes = groupsByAnalyzer(query, scope).map((group) => groupNode(group, scope));
  return bestOf(nodes, query, scope);
}

/** The query for each group of fields with the same analyzer. A document matches if it matches one of them. */
export function groupsByAnalyzer(query: CrossFieldsQuery, scope: SearchScope): CrossFieldsQuery[] {
  const groups = new Map<string, WeightedField[]>();
  for (const weighted of query.fields) {
    const field = queriedField(scope, { field: weighted.field, path: query.path });
    if (field === undefined) continue;
    const analyzer = query.analyzer ?? analyzerNameOf(field);
    groups.set(analyzer, [...(groups.get(analyzer) ?? []), weighted]);
  }
  return Array.from(groups.values(), (fields) => ({ ...query, fields }));
}

const LOWER_CASED = 'lowercase';

/** Fields with the same value form a group. */
function analyzerNameOf({ type, isLowerCased, searchAnalyzer }: CompiledField): string {
  if (type === 'text') return searchAnalyzer;
  return isLowerCased ? LOWER_CASED : 'keyword';
}

function groupNode(query: CrossFieldsQuery, scope: SearchScope): QueryNode {
  const group = query.fields.flatMap(({ field: name, boost }): Weighted[] => {
    const field = queriedField(scope, { field: name, path: query.path });
    return field === undefined ? [] : [{ field, boost: boost * query.boost }];
  });
  const [first] = group;
  if (first === undefined) return new NoneNode();
  const analyzer = query.analyzer ?? analyzerNameOf(first.field);
  const words =
    analyzer === LOWER_CASED
      ? [[lowerCase(String(query.query))]]
      : byPosition(analyse(first.field, query.query, analyzer)).map((group) => group.terms);
  if (words.length === 0) {
    return query.zeroTermsQuery === 'all' ? new AllNode(scope.index, query.boost) : new NoneNode();
  }
  const nodes = words.map((terms) =>
    anyOf(
      terms.map((term) => termNode(term, group, query, scope)),
      scope,
    ),
  );
  return combineTokens(nodes, query, scope);
}

/** One term in any of the fields. */
function termNode(
  term: string,
  group: readonly Weighted[],
  query: CrossFieldsQuery,
  scope: SearchScope,
): QueryNode {
  const blended: BlendedTerm[] = [];
  const others: QueryNode[] = [];
  for (const { field, boost } of group) {
    const options = { boost, lenient: query.lenient, path: query.path };
    const found = blendedTerm(field, term, options, scope);
    if (found === undefined) others.push(lenientValueNode(field, term, options, scope));
    else if (found.matchCount > 0) blended.push(found);
  }
  return bestOf([...others, ...blend(blended)], query, scope);
}

/** Undefined for values that aren't terms, such as numbers. */
function blendedTerm(
  field: CompiledField,
  term: string,
  { boost, path }: { readonly boost: number; readonly path: string },
  scope: SearchScope,
): BlendedTerm | undefined {
  const index = scope.index.indexOf(field);
  if (index?.kind === 'text') {
    const code = index.dictionary.find(term);
    return {
      documentCount: index.documentCount,
      matchCount: code === undefined ? 0 : index.postings.count(code),
      nodeFor: (matchCount) => new TextTermNode(index, term, boost, matchCount),
    };
  }
  if (index?.kind === 'term' && field.type === 'keyword') {
    const coerced = coerceTerm(field, term, path, scope.nowMs);
    const code = coerced.kind === 'text' ? index.column.dictionary.find(coerced.value) : undefined;
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

function bestOf(
  nodes: readonly QueryNode[],
  { tieBreaker }: CrossFieldsQuery,
  scope: SearchScope,
): QueryNode {
  const [only] = nodes;
  if (only === undefined) return new NoneNode();
  return nodes.length === 1 ? only : new DisMaxNode(scope, nodes, tieBreaker, 1);
}
