import { NO_CLAUSES } from '../kinds/compoundKinds.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { BoundQuery } from '../tree/Query.js';
import { bindOrNone } from './bindShownFields.js';
import type { SearchView } from './SearchView.js';

/**
 * The query that matches the documents of a view; undefined: every document. A query that doesn't fit the mapping
 * matches nothing.
 */
export function bindView({ documents }: SearchView, compiled: CompiledMapping, nowMs: number): BoundQuery | undefined {
  if (documents === undefined) return undefined;
  const bound = documents.flatMap((query) => bindOrNone(query, compiled, nowMs));
  const [first] = bound;
  const base = { boost: 1, path: 'documents' };
  if (first === undefined) return { kind: 'match_none', ...base };
  if (bound.length === 1) return first;
  return { kind: 'bool', ...NO_CLAUSES, should: bound, minimumShouldMatch: 1, ...base };
}
