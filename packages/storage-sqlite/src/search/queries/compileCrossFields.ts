import type { CompiledField, CrossFieldsQuery } from '@millrace/query';
import { analyse } from './analyse.js';
import type { TextField } from '../fields/TextField.js';
import { queriedField, type SearchScope } from '../SearchScope.js';
import { AllNode } from './AllNode.js';
import { combineTokens } from './compileMatch.js';
import { valueNode } from './compileTerm.js';
import { DisMaxNode } from './DisMaxNode.js';
import { NoneNode } from './NoneNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';

interface Weighted {
  readonly field: CompiledField;
  readonly boost: number;
}

/*
 * One text over several fields as if they were one. The fields that analyse alike are a group; in a group each term may
 * stand in any field, the best field counts, and all fields count the term as frequent as it is in the field where it is
 * most frequent, so that a field where a word happens to be rare does not win by that.
 */
export function compileCrossFields(query: CrossFieldsQuery, scope: SearchScope): QueryNode {
  const groups = new Map<string, Weighted[]>();
  for (const { field: name, boost } of query.fields) {
    const field = queriedField(scope, { field: name, path: query.path });
    if (field === undefined) continue;
    const key =
      field.type === 'text' ? `text ${query.analyzer ?? field.searchAnalyzer}` : field.type;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [{ field, boost }]);
    else group.push({ field, boost });
  }
  const nodes = [...groups.values()].map((group) => groupNode(group, query, scope));
  const [only] = nodes;
  if (only === undefined) return new NoneNode();
  const { slotCount } = scope.index;
  return nodes.length === 1 ? only : new DisMaxNode(slotCount, nodes, query.tieBreaker, 1);
}

function groupNode(
  group: readonly Weighted[],
  query: CrossFieldsQuery,
  scope: SearchScope,
): QueryNode {
  const [first] = group;
  if (first?.field.type !== 'text') return valuesNode(group, query, scope);
  const { terms } = analyse(first.field, query.query, query.analyzer);
  if (terms.length === 0) {
    return query.zeroTermsQuery === 'all' ? new AllNode(scope.index, query.boost) : new NoneNode();
  }
  return combineTokens(
    terms.map((term) => termNode(term, group, query, scope)),
    query,
    scope,
  );
}

/** One term in any of the fields. */
function termNode(
  term: string,
  group: readonly Weighted[],
  query: CrossFieldsQuery,
  scope: SearchScope,
): QueryNode {
  const found: { readonly index: TextField; readonly boost: number }[] = [];
  let matchCount = 0;
  for (const { field, boost } of group) {
    const index = scope.index.indexOf(field);
    const code = index?.kind === 'text' ? index.dictionary.find(term) : undefined;
    if (index?.kind !== 'text' || code === undefined) continue;
    matchCount = Math.max(matchCount, index.postings.count(code));
    found.push({ index, boost });
  }
  const nodes = found.map(
    ({ index, boost }) =>
      new TextTermNode(index, term, boost * query.boost, Math.min(matchCount, index.documentCount)),
  );
  return new DisMaxNode(scope.index.slotCount, nodes, query.tieBreaker, 1);
}

function valuesNode(
  group: readonly Weighted[],
  query: CrossFieldsQuery,
  scope: SearchScope,
): QueryNode {
  const nodes = group.map(({ field, boost }): QueryNode => {
    try {
      return valueNode(field, String(query.query), boost * query.boost, query.path, scope);
    } catch (error) {
      if (query.lenient) return new NoneNode();
      throw error;
    }
  });
  return new DisMaxNode(scope.index.slotCount, nodes, query.tieBreaker, 1);
}
