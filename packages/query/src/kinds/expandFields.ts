/*
 * Replaces `multi_match` and `query_string` while they are bound: field patterns become fields, and each piece of text
 * one query per field, joined by `dis_max`. The limit of 1,024 clauses per query,
 * counted again after expansion, bounds the result.
 */
import type { QueryBinder } from './QueryBinder.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { isShownAt } from '../mapping/isShownAt.js';
import { resolveFieldPattern } from '../mapping/resolveFieldPattern.js';
import { present } from '../present.js';
import type * as tree from '../tree/Query.js';
import { LuceneWriter } from '../lucene/LuceneWriter.js';

/**
 * Replaces one `multi_match` or `query_string` by queries on single fields.
 * @throws QueryError if the whole query expands to more than 1,024 clauses
 */
export function expandFields(query: tree.MultiMatchQuery | tree.QueryStringQuery, binder: QueryBinder): tree.Query {
  return new FieldExpander(binder).expand(query);
}

class FieldExpander {
  constructor(private readonly binder: QueryBinder) {}

  expand(query: tree.MultiMatchQuery | tree.QueryStringQuery): tree.Query {
    if (query.kind === 'multi_match') return this.writeText(query, this.resolve(query.fields));
    const { boost, name } = query;
    const written = new LuceneWriter(query, this.binder.compiled, {
      resolve: (fields) => this.resolve(fields),
      writeText: (text, fields) => this.writeText(text, fields),
      join: (queries, tieBreaker, base) => this.join(queries, tieBreaker, base),
    }).write();
    return { ...written, boost: written.boost * boost, ...present({ name }) };
  }

  private writeText(query: tree.MultiMatchQuery, fields: readonly tree.WeightedField[]): tree.Query {
    const { boost, name, path } = query;
    const shared = present({ boost, name, path });
    if (query.type === 'cross_fields') {
      const { query: text, operator, minimumShouldMatch, analyzer, lenient, zeroTermsQuery } = query;
      const { tieBreaker = 0 } = query;
      this.binder.countClauses(fields.length, path);
      return {
        kind: 'cross_fields',
        query: String(text),
        fields,
        operator,
        tieBreaker,
        lenient,
        zeroTermsQuery,
        ...present({ minimumShouldMatch, analyzer }),
        ...shared,
      };
    }
    const perField = fields.map(({ field, boost: weight }) => textQuery(query, field, weight));
    const isSum = query.type === 'most_fields' || query.type === 'bool_prefix';
    return this.join(perField, query.tieBreaker ?? (isSum ? 1 : 0), shared);
  }

  /** Joins the queries of the fields: several by `dis_max`. */
  private join(queries: readonly tree.Query[], tieBreaker: number, base: tree.QueryBase): tree.Query {
    this.binder.countClauses(queries.length, base.path);
    const [only, second] = queries;
    if (only === undefined) return { kind: 'match_none', ...base };
    if (second === undefined) {
      const name = base.name ?? only.name;
      return { ...only, boost: only.boost * base.boost, ...present({ name }) };
    }
    return { kind: 'dis_max', queries, tieBreaker, ...base };
  }

  /**
   * Resolves names and patterns to fields; a pattern finds fields that can be searched by value and have their values
   * here.
   */
  private resolve(fields: readonly tree.WeightedField[]): readonly tree.WeightedField[] {
    const { compiled, state } = this.binder;
    const wanted = fields.length === 0 ? [{ field: '*', boost: 1 }] : fields;
    const boosts = new Map<string, number>();
    for (const { field, boost } of wanted) {
      const names = field.includes('*')
        ? resolveFieldPattern(compiled, field)
            .filter((found) => isSearchableByValue(found) && isShownAt(compiled, found, state.nestedPath))
            .map((found) => found.name)
        : [field];
      for (const name of names) boosts.set(name, boost * (boosts.get(name) ?? 1));
    }
    return [...boosts].map(([field, boost]) => ({ field, boost }));
  }
}

function isSearchableByValue({ isIndexed, type }: CompiledField): boolean {
  return isIndexed && type !== 'geo_point' && type !== 'geo_shape' && type !== 'binary';
}

/** The query of a `multi_match` on one field. */
function textQuery(query: tree.MultiMatchQuery, field: string, weight: number): tree.Query {
  const { query: text, analyzer, lenient, zeroTermsQuery, slop, maxExpansions, operator, minimumShouldMatch } = query;
  const { fuzziness, prefixLength, fuzzyTranspositions, path } = query;
  const base = {
    field,
    query: String(text),
    lenient,
    boost: weight,
    path,
    ...present({ analyzer }),
  };
  const fuzzy = { prefixLength, maxExpansions, fuzzyTranspositions, ...present({ fuzziness }) };
  switch (query.type) {
    case 'phrase':
      return { kind: 'match_phrase', slop, zeroTermsQuery, ...base };
    case 'phrase_prefix':
      return { kind: 'match_phrase_prefix', slop, maxExpansions, zeroTermsQuery, ...base };
    case 'bool_prefix':
      return {
        kind: 'match_bool_prefix',
        operator,
        zeroTermsQuery,
        ...fuzzy,
        ...present({ minimumShouldMatch }),
        ...base,
      };
    case 'best_fields':
    case 'most_fields':
    case 'cross_fields':
      return {
        kind: 'match',
        operator,
        zeroTermsQuery,
        ...fuzzy,
        ...present({ minimumShouldMatch }),
        ...base,
      };
  }
}
