import {
  scalarText,
  coerceTerm,
  lowerCase,
  type CompiledField,
  type CrossFieldsQuery,
} from '@millrace/query';
import { queriedField, type SearchScope } from '../SearchScope.js';
import { AllNode } from './AllNode.js';
import { analyse } from './analyse.js';
import { anyOf } from './anyOf.js';
import { byPosition } from './byPosition.js';
import type { FieldStatistics } from './bm25.js';
import { BooleanTermNode, booleanStatistics } from './BooleanTermNode.js';
import { combineTokens, lenientValueNode } from './compileMatch.js';
import { DisMaxNode } from './DisMaxNode.js';
import { KeywordTermNode } from './KeywordTermNode.js';
import { NoneNode } from './NoneNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';

/** The parts of a query by the fields that analyse alike: each has to match by itself. */
export function groupsOfFields(query: CrossFieldsQuery, scope: SearchScope): CrossFieldsQuery[] {
  const groups = new Map<string, CrossFieldsQuery['fields'][number][]>();
  for (const weighted of query.fields) {
    const field = scope.index.mapping.fields.get(weighted.field);
    if (field === undefined) continue;
    const analyzer = query.analyzer ?? analyzerNameOf(field);
    groups.set(analyzer, [...(groups.get(analyzer) ?? []), weighted]);
  }
  return Array.from(groups.values(), (fields) => ({ ...query, fields }));
}

interface Weighted {
  readonly field: CompiledField;
  readonly boost: number;
}

/** A term of one field, which may count as more frequent than it is. */
interface BlendedTerm {
  readonly statistics: FieldStatistics;
  /** Documents that have it. */
  readonly matchCount: number;
  readonly nodeFor: (matchCount: number) => QueryNode;
}

/*
 * One text over several fields as if they were one. The fields that analyse alike are a group; in a group each term may
 * stand in any field, the best field counts, and all fields count the term about as frequent as it is in the field where
 * it is most frequent, so that a field where a word happens to be rare does not win by that (Elasticsearch's
 * BlendedTermQuery). Values that are no terms, such as numbers, stand beside the blended ones.
 */
export function compileCrossFields(query: CrossFieldsQuery, scope: SearchScope): QueryNode {
  const groups = new Map<string, Weighted[]>();
  for (const { field: name, boost } of query.fields) {
    const field = queriedField(scope, { field: name, path: query.path });
    if (field === undefined) continue;
    const analyzer = query.analyzer ?? analyzerNameOf(field);
    const group = groups.get(analyzer);
    const weighted = { field, boost: boost * query.boost };
    if (group === undefined) groups.set(analyzer, [weighted]);
    else group.push(weighted);
  }
  const nodes = Array.from(groups, ([analyzer, group]) => groupNode(analyzer, group, query, scope));
  return bestOf(nodes, query, scope);
}

const LOWER_CASED = 'lowercase';

/** What a server knows the analysis of a field by. */
function analyzerNameOf({ type, isLowerCased, searchAnalyzer }: CompiledField): string {
  if (type === 'text') return searchAnalyzer;
  return isLowerCased ? LOWER_CASED : 'keyword';
}

function groupNode(
  analyzer: string,
  group: readonly Weighted[],
  query: CrossFieldsQuery,
  scope: SearchScope,
): QueryNode {
  const [first] = group;
  if (first === undefined) return new NoneNode();
  const words =
    analyzer === LOWER_CASED
      ? [[lowerCase(scalarText(query.query))]]
      : byPosition(analyse(first.field, query.query, analyzer)).map((group) => group.terms);
  if (words.length === 0) {
    // A field for itself brings its weight.
    const boost = group.length === 1 ? first.boost : query.boost;
    return query.zeroTermsQuery === 'all' ? new AllNode(scope.index, boost) : new NoneNode();
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
  return bestOf([...others, bestOf(blend(blended), query, scope)], query, scope);
}

/** Undefined for what is no term of the index, or can't be one. */
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
      statistics: index,
      matchCount: code === undefined ? 0 : index.postings.count(code),
      nodeFor: (matchCount) => new TextTermNode(index, term, boost, matchCount),
    };
  }
  if (index?.kind === 'term' && field.type === 'keyword') {
    const coerced = coerceTerm(field, term, path, scope.nowMs);
    const code = coerced.kind === 'text' ? index.column.dictionary.find(coerced.value) : undefined;
    if (code === undefined) return undefined;
    return {
      statistics: index.column,
      matchCount: index.postings.count(code),
      nodeFor: (matchCount) => new KeywordTermNode(index, code, boost, matchCount),
    };
  }
  if (index?.kind === 'number' && field.type === 'boolean' && /^(true|false)$/.test(term)) {
    const isTrue = term === 'true';
    return {
      statistics: booleanStatistics(index),
      matchCount: new BooleanTermNode(index, isTrue, boost).match(false).slots.length,
      nodeFor: (matchCount) => new BooleanTermNode(index, isTrue, boost, matchCount),
    };
  }
  return undefined;
}

/** The fields with fewer matches count a little rarer than they would otherwise, which tells them apart. */
function blend(terms: readonly BlendedTerm[]): readonly QueryNode[] {
  const ordered = [...terms].sort((a, b) => b.matchCount - a.matchCount);
  const fewestTokens = Math.min(...ordered.map(({ statistics }) => statistics.tokenCount));
  let blended = Math.min(fewestTokens, ordered[0]?.matchCount ?? 0);
  return ordered.map(({ matchCount, statistics, nodeFor }, i) => {
    if ((ordered[i - 1]?.matchCount ?? 0) > matchCount) blended += 1;
    return nodeFor(Math.min(blended, statistics.documentCount, fewestTokens));
  });
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
