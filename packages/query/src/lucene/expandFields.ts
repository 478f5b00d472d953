/*
 * Replaces the queries that depend on the mapping (`multi_match`, `query_string`) by plain ones: field patterns become
 * fields, and each piece of text one query per field, joined by `dis_max`. The limit of 1,024 clauses per query,
 * counted again after expansion, bounds the result.
 */
import { invalid } from '../errors.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import { isShownAt } from '../mapping/isShownAt.js';
import { resolveFieldPattern } from '../mapping/resolveField.js';
import { MAX_CLAUSE_COUNT } from '../parse/QueryParser.js';
import { present } from '../present.js';
import type * as tree from '../tree/Query.js';
import { LuceneWriter } from './LuceneWriter.js';

/**
 * Returns the query with every `multi_match` and `query_string` replaced, at any depth.
 * @param nestedPath the nested field whose objects are searched, and whose fields a pattern finds; undefined: documents
 * @throws QueryError if the result has more than 1,024 clauses
 */
export function expandFields(
  query: tree.Query,
  compiled: CompiledMapping,
  nestedPath?: string,
): tree.ExpandedQuery {
  return new FieldExpander(compiled, nestedPath).expand(query, nestedPath) as tree.ExpandedQuery;
}

class FieldExpander {
  private clauseCount = 0;

  /** @param outside where the query begins: the path of an aggregation or a sort, whose filters have no inner hits */
  constructor(
    private readonly compiled: CompiledMapping,
    private readonly outside: string | undefined,
  ) {}

  expand(query: tree.Query, nestedPath: string | undefined): tree.Query {
    switch (query.kind) {
      case 'multi_match':
        return this.writeText(query, this.resolve(query.fields, nestedPath));
      case 'query_string': {
        const { boost, name } = query;
        const written = new LuceneWriter(query, this.compiled, {
          resolve: (fields) => this.resolve(fields, nestedPath),
          writeText: (text, fields) => this.writeText(text, fields),
          join: (queries, tieBreaker, base) => this.join(queries, tieBreaker, base),
        }).write();
        return { ...written, boost: written.boost * boost, ...present({ name }) };
      }
      case 'bool':
        return {
          ...query,
          must: this.expandAll(query.must, nestedPath),
          filter: this.expandAll(query.filter, nestedPath),
          should: this.expandAll(query.should, nestedPath),
          mustNot: this.expandAll(query.mustNot, nestedPath),
        };
      case 'constant_score':
        return { ...query, filter: this.expand(query.filter, nestedPath) };
      case 'dis_max':
        return { ...query, queries: this.expandAll(query.queries, nestedPath) };
      case 'boosting':
        return {
          ...query,
          positive: this.expand(query.positive, nestedPath),
          negative: this.expand(query.negative, nestedPath),
        };
      case 'function_score':
        return {
          ...query,
          query: this.expand(query.query, nestedPath),
          functions: query.functions.map((entry) =>
            entry.filter === undefined
              ? entry
              : { ...entry, filter: this.expand(entry.filter, nestedPath) },
          ),
        };
      case 'nested':
        return this.expandNested(query, nestedPath);
      default:
        return query;
    }
  }

  /**
   * Within a nested object, a `nested` query of the same path means the same object, and one of another path matches
   * nothing. Elasticsearch would use the next object instead, or fail.
   */
  private expandNested(query: tree.NestedQuery, around: string | undefined): tree.Query {
    const { nestedPath, scoreMode, innerHits, boost, path } = query;
    const inside = this.expand(query.query, nestedPath);
    if (around === undefined || nestedPath.startsWith(`${around}.`))
      return { ...query, query: inside };
    if (nestedPath !== around) return { kind: 'match_none', boost, path };
    if (innerHits !== undefined && this.outside === undefined) {
      const expected = `the outer nested query of the path "${around}" to have them`;
      throw invalid(
        path,
        `inner_hits at ${path} are those of the objects around: expected ${expected}`,
      );
    }
    const hasScore = scoreMode !== 'none';
    if (hasScore && boost === 1) return inside;
    const none: readonly tree.Query[] = [];
    const [must, filter] = hasScore ? [[inside], none] : [none, [inside]];
    const clauses = { must, filter, should: none, mustNot: none, minimumShouldMatch: 0 };
    return { kind: 'bool', ...clauses, boost, path };
  }

  private expandAll(
    queries: readonly tree.Query[],
    nestedPath: string | undefined,
  ): readonly tree.Query[] {
    return queries.map((query) => this.expand(query, nestedPath));
  }

  private writeText(
    query: tree.MultiMatchQuery,
    fields: readonly tree.WeightedField[],
  ): tree.Query {
    const { boost, name, path } = query;
    const shared = present({ boost, name, path });
    if (query.type === 'cross_fields') {
      const {
        query: text,
        operator,
        minimumShouldMatch,
        analyzer,
        lenient,
        zeroTermsQuery,
      } = query;
      const { tieBreaker = 0 } = query;
      this.count(fields.length, path);
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
  private join(
    queries: readonly tree.Query[],
    tieBreaker: number,
    base: tree.QueryBase,
  ): tree.Query {
    this.count(queries.length, base.path);
    const [only, second] = queries;
    if (only === undefined) return { kind: 'match_none', ...base };
    if (second === undefined) {
      const name = base.name ?? only.name;
      return { ...only, boost: only.boost * base.boost, ...present({ name }) };
    }
    return { kind: 'dis_max', queries, tieBreaker, ...base };
  }

  private count(added: number, path: string): void {
    this.clauseCount += added;
    if (this.clauseCount > MAX_CLAUSE_COUNT) {
      throw invalid(
        path,
        `The query at ${path} expands to more than ${MAX_CLAUSE_COUNT} clauses: name fewer fields`,
      );
    }
  }

  /**
   * Resolves names and patterns to fields; a pattern finds fields that can be searched by value and have their values
   * here.
   */
  private resolve(
    fields: readonly tree.WeightedField[],
    nestedPath: string | undefined,
  ): readonly tree.WeightedField[] {
    const { compiled } = this;
    const wanted = fields.length === 0 ? [{ field: '*', boost: 1 }] : fields;
    const boosts = new Map<string, number>();
    for (const { field, boost } of wanted) {
      const names = field.includes('*')
        ? resolveFieldPattern(compiled, field)
            .filter((found) => isSearchableByValue(found) && isShownAt(compiled, found, nestedPath))
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
  const {
    query: text,
    analyzer,
    lenient,
    zeroTermsQuery,
    slop,
    maxExpansions,
    operator,
    minimumShouldMatch,
  } = query;
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
