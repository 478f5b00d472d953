/*
 * Replaces the queries that depend on the mapping (`multi_match`, `query_string`, `simple_query_string`) by plain ones:
 * patterns of fields become fields, and each piece of text one query per field, joined by `dis_max`. Bounded by the
 * limit of 1,024 clauses per query, counted again after expansion.
 */
import { analyzerOf } from '../analysis/wordsOf.js';
import { coerceRange } from '../coerce/coerceRange.js';
import { invalid } from '../errors.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import { isShownAt } from '../mapping/isShownAt.js';
import { resolveFieldPattern } from '../mapping/resolveField.js';
import { MAX_CLAUSE_COUNT } from '../parse/QueryParser.js';
import { isAllFields } from '../parse/queries/textQueries.js';
import { resolveMinimumShouldMatch } from '../parse/parseMinimumShouldMatch.js';
import { present } from '../present.js';
import type * as tree from '../tree/Query.js';
import { assembleClauses, type LuceneClause, type LuceneTree } from './assembleClauses.js';
import type { LuceneLeaf } from './LuceneNode.js';
import { leavesTerms } from './leavesTerms.js';
import { analysed, hasNoTexts, isTaken, normalise, writePattern } from './writePattern.js';

/**
 * The query with every `multi_match`, `query_string` and `simple_query_string` replaced, at any depth. What holds no
 * such query is returned as it is.
 * @param nestedPath the nested field whose objects are searched, and whose fields a pattern finds; undefined: documents
 * @throws QueryError when more than 1,024 clauses come out
 */
export function expandFields(
  query: tree.Query,
  compiled: CompiledMapping,
  nestedPath?: string,
): tree.ExpandedQuery {
  return new FieldExpander(compiled, nestedPath).expand(query, nestedPath) as tree.ExpandedQuery;
}

type LuceneQuery = tree.QueryStringQuery | tree.SimpleQueryStringQuery;
type Leaf = Exclude<LuceneLeaf, { readonly kind: 'all' | 'exists' }>;

interface TextOptions {
  readonly type: tree.MultiMatchType;
  readonly tieBreaker: number;
  /** Quoted words are phrases whatever the type. */
  readonly phraseTieBreaker: number;
  readonly lenient: boolean;
}

class FieldExpander {
  private clauseCount = 0;

  /** @param outside where the query begins: the path of an aggregation or a sort, whose filters show no inner hits */
  constructor(
    private readonly compiled: CompiledMapping,
    private readonly outside: string | undefined,
  ) {}

  expand(query: tree.Query, nestedPath: string | undefined): tree.Query {
    switch (query.kind) {
      case 'multi_match':
        return this.expandMultiMatch(query, nestedPath);
      case 'query_string':
      case 'simple_query_string':
        return this.expandLucene(query, nestedPath);
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
   * From an object inward: the same path once more means the same object, and there is none of another path. A server
   * would take the next object for the one around, or fail.
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
        `inner_hits at ${path} stand on the objects around: expected ${expected}`,
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

  private expandMultiMatch(
    query: tree.MultiMatchQuery,
    nestedPath: string | undefined,
  ): tree.Query {
    const fields = this.resolve(query.fields);
    const { boost, name, path } = query;
    const shared = present({ boost, name, path });
    if (query.type === 'cross_fields') {
      const { query: text, operator, minimumShouldMatch, analyzer, zeroTermsQuery } = query;
      const blended = this.blended(fields, nestedPath);
      this.count(blended.length, path);
      return {
        kind: 'cross_fields',
        query: String(text),
        fields: blended,
        operator,
        tieBreaker: query.tieBreaker ?? 0,
        lenient: query.lenient,
        zeroTermsQuery,
        ...present({ minimumShouldMatch, analyzer }),
        ...shared,
      };
    }
    const perField = fields.map(({ field, boost: weight }) => textQuery(query, field, weight));
    return this.join(perField, tieBreakerOf(query.type, query.tieBreaker), shared, nestedPath);
  }

  /** One query per field as one: several by `dis_max`. */
  private join(
    queries: readonly tree.Query[],
    tieBreaker: number,
    base: tree.QueryBase,
    nestedPath: string | undefined,
  ): tree.Query {
    const isShown = (query: tree.Query) =>
      !('field' in query) || this.isShown(query.field, nestedPath);
    this.count(queries.filter(isShown).length, base.path);
    const [only, second] = queries;
    if (only === undefined) return { kind: 'match_none', ...base };
    if (second === undefined) {
      const name = base.name ?? only.name;
      return { ...only, boost: only.boost * base.boost, ...present({ name }) };
    }
    return { kind: 'dis_max', queries, tieBreaker, ...base };
  }

  /** False for what has its values elsewhere: nobody pays for looking there. */
  private isShown(name: string, nestedPath: string | undefined): boolean {
    const field = this.compiled.fields.get(name);
    return field === undefined || isShownAt(this.compiled, field, nestedPath);
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

  /** Fields of names and patterns; a pattern finds those that can be searched by value, nested ones too, where they have none. */
  private resolve(fields: readonly tree.WeightedField[]): readonly tree.WeightedField[] {
    const wanted = fields.length === 0 ? [{ field: '*', boost: 1 }] : fields;
    const boosts = new Map<string, number>();
    for (const { field, boost } of wanted) {
      const names = field.includes('*')
        ? resolveFieldPattern(this.compiled, field)
            .filter(isSearchableByValue)
            .map((found) => found.name)
        : [field];
      for (const name of names) boosts.set(name, boost * (boosts.get(name) ?? 1));
    }
    return [...boosts].map(([field, boost]) => ({ field, boost }));
  }

  /** Without the texts of other objects, whose words would count for how frequent a word is here. */
  private blended(
    fields: readonly tree.WeightedField[],
    nestedPath: string | undefined,
  ): readonly tree.WeightedField[] {
    return fields.filter(({ field }) => {
      const type = this.compiled.fields.get(field)?.type;
      return (type !== 'text' && type !== 'keyword') || this.isShown(field, nestedPath);
    });
  }

  private expandLucene(query: LuceneQuery, nestedPath: string | undefined): tree.Query {
    const writer = new LuceneWriter(
      query,
      this.compiled,
      (fields) => this.resolve(fields),
      (fields) => this.blended(fields, nestedPath),
      (queries, tieBreaker, base) => this.join(queries, tieBreaker, base, nestedPath),
    );
    const { boost, name } = query;
    const written = writer.write();
    return { ...written, boost: written.boost * boost, ...present({ name }) };
  }
}

function isSearchableByValue({ isIndexed, type }: CompiledField): boolean {
  return isIndexed && type !== 'geo_point' && type !== 'geo_shape' && type !== 'binary';
}

function tieBreakerOf(type: tree.MultiMatchType, given: number | undefined): number {
  return given ?? (type === 'most_fields' || type === 'bool_prefix' ? 1 : 0);
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
  // A server compares the text of what is looked for in several fields, even of a number.
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

/** Turns the syntax tree of one query in text into queries. */
class LuceneWriter {
  private readonly options: TextOptions;
  /** By the field that is named before a colon. */
  private readonly resolved = new Map<string | undefined, readonly tree.WeightedField[]>();

  constructor(
    private readonly query: LuceneQuery,
    private readonly compiled: CompiledMapping,
    private readonly resolve: (
      fields: readonly tree.WeightedField[],
    ) => readonly tree.WeightedField[],
    private readonly blended: (
      fields: readonly tree.WeightedField[],
    ) => readonly tree.WeightedField[],
    private readonly join: (
      queries: readonly tree.Query[],
      tieBreaker: number,
      base: tree.QueryBase,
    ) => tree.Query,
  ) {
    const type = query.kind === 'query_string' ? query.type : 'most_fields';
    const given = query.kind === 'query_string' ? query.tieBreaker : undefined;
    const tieBreaker = tieBreakerOf(type, given);
    const phraseTieBreaker = tieBreakerOf('phrase', given);
    this.options = { type, tieBreaker, phraseTieBreaker, lenient: query.lenient };
  }

  write(): tree.Query {
    const { kind, syntax, defaultOperator, path } = this.query;
    const assembled = assembleClauses(syntax, {
      isSimple: kind === 'simple_query_string',
      defaultOperator,
      isNothing: (leaf) => this.isNothing(leaf),
    });
    if (assembled === undefined) return { kind: 'match_none', boost: 1, path };
    return this.writeTree(assembled, true);
  }

  private writeTree(node: LuceneTree, isRoot = false): tree.Query {
    const { path } = this.query;
    switch (node.kind) {
      case 'all':
        return { kind: 'match_all', boost: node.boost, path };
      case 'exists':
        return this.writeExists(node.field, node.boost);
      case 'clauses':
        return this.writeClauses(node.clauses, node.boost, isRoot);
      default: {
        const fields = this.fieldsOf(node).filter(({ field }) => this.leavesTerms(node, field));
        const { type } = this.options;
        const takesMinimum = isRoot && node.boost === 1 && this.isOnePlainField(fields);
        if (type === 'cross_fields' && node.kind === 'term' && node.fuzziness === undefined)
          return this.writeCrossFields(node, this.blended(fields), takesMinimum);
        const queries = fields.map(({ field, boost }) =>
          this.writeLeaf(node, field, boost, takesMinimum),
        );
        const { tieBreaker, phraseTieBreaker } = this.options;
        const ownTieBreaker = node.kind === 'phrase' ? phraseTieBreaker : tieBreaker;
        return this.join(queries, ownTieBreaker, { boost: node.boost, path });
      }
    }
  }

  private fieldsOf({ field }: Leaf): readonly tree.WeightedField[] {
    let fields = this.resolved.get(field);
    if (fields === undefined) {
      fields = this.resolve(field === undefined ? this.query.fields : [{ field, boost: 1 }]);
      this.resolved.set(field, fields);
    }
    return fields;
  }

  /** True where no mapped field's analyzer leaves anything of a text: then it is no condition at all. */
  private isNothing(leaf: LuceneLeaf): boolean {
    if (leaf.kind !== 'term' && leaf.kind !== 'phrase' && leaf.kind !== 'prefix') return false;
    const mapped = this.fieldsOf(leaf).filter(({ field }) => this.compiled.fields.has(field));
    return mapped.length > 0 && !mapped.some(({ field }) => this.leavesTerms(leaf, field));
  }

  /** False where the analyzer of a field leaves nothing of a text: the field is not asked for it. */
  private leavesTerms(leaf: Leaf, name: string): boolean {
    const field = this.compiled.fields.get(name);
    const isWords =
      leaf.kind === 'prefix' &&
      this.query.kind === 'query_string' &&
      this.query.analyzesWildcard &&
      field?.type === 'text';
    const isText =
      isWords || leaf.kind === 'phrase' || (leaf.kind === 'term' && leaf.fuzziness === undefined);
    if (!isText || field === undefined) return true;
    const { analyzer, quoteAnalyzer } = this.query;
    const isPhrase =
      leaf.kind === 'phrase' || (leaf.kind === 'term' && /^phrase/.test(this.options.type));
    const own = isPhrase ? field.searchQuoteAnalyzer : field.searchAnalyzer;
    const given = leaf.kind === 'phrase' ? (quoteAnalyzer ?? analyzer) : analyzer;
    const used = given ?? (field.type === 'text' ? own : undefined);
    return used === undefined || leavesTerms(analyzerOf(field, used), leaf.text);
  }

  /** A server puts `minimum_should_match` to words that are clauses of the query itself, not of parts of it. */
  private isOnePlainField(fields: readonly tree.WeightedField[]): boolean {
    const [only, second] = fields.filter(({ field }) => this.compiled.fields.has(field));
    return only?.boost === 1 && second === undefined;
  }

  /** `*` alone asks for a value in the default fields, and for nothing where these are all. */
  private writeExists(given: string | undefined, boost: number): tree.Query {
    const { path, fields } = this.query;
    if (given !== undefined) return { kind: 'exists', field: given, boost, path };
    if (isAllFields(fields)) return { kind: 'match_all', boost, path };
    const queries = this.resolve(fields).map(({ field, boost: weight }): tree.Query => ({
      kind: 'exists',
      field,
      boost: weight,
      path,
    }));
    return this.join(queries, this.options.tieBreaker, { boost, path });
  }

  private writeCrossFields(
    { text, boost }: Extract<Leaf, { kind: 'term' }>,
    fields: readonly tree.WeightedField[],
    takesMinimum: boolean,
  ): tree.Query {
    const { path, defaultOperator, analyzer, minimumShouldMatch } = this.query;
    const { tieBreaker, lenient } = this.options;
    return {
      kind: 'cross_fields',
      query: text,
      fields,
      operator: defaultOperator,
      tieBreaker,
      lenient,
      zeroTermsQuery: 'none',
      boost,
      path,
      ...present({ analyzer, minimumShouldMatch: takesMinimum ? minimumShouldMatch : undefined }),
    };
  }

  private writeClauses(
    clauses: readonly LuceneClause[],
    boost: number,
    isRoot: boolean,
  ): tree.Query {
    const { path, minimumShouldMatch } = this.query;
    const of = (occur: LuceneClause['occur']) =>
      clauses.filter((clause) => clause.occur === occur).map(({ node }) => this.writeTree(node));
    const [must, mustNot] = [of('must'), of('must_not')];
    // Only negations: everything but these, scored 0 by the full syntax and an optional clause in the other.
    const isNegative = clauses.length === mustNot.length;
    const all: readonly tree.Query[] = isNegative ? [{ kind: 'match_all', boost: 1, path }] : [];
    const isSimple = this.query.kind === 'simple_query_string';
    const should = isSimple ? [...of('should'), ...all] : of('should');
    const minimum =
      isRoot && minimumShouldMatch !== undefined
        ? resolveMinimumShouldMatch(minimumShouldMatch, should.length)
        : 0;
    return {
      kind: 'bool',
      must,
      filter: isSimple ? [] : all,
      should,
      mustNot,
      minimumShouldMatch: must.length === 0 && should.length > 0 ? Math.max(1, minimum) : minimum,
      boost,
      path,
    };
  }

  private writeLeaf(node: Leaf, field: string, boost: number, takesMinimum: boolean): tree.Query {
    const { path } = this.query;
    const compiled = this.compiled.fields.get(field);
    const none: tree.Query = { kind: 'match_none', boost, path };
    if (compiled !== undefined) this.assertAllowed(node);
    if (compiled !== undefined && !compiled.isIndexed && this.query.lenient) return none;
    const isFuzzyOrRange =
      node.kind === 'range' || (node.kind === 'term' && node.fuzziness !== undefined);
    const isFull = this.query.kind === 'query_string';
    if (isFull && isFuzzyOrRange && compiled !== undefined && hasNoTexts(compiled)) return none;
    switch (node.kind) {
      case 'term':
        return node.fuzziness === undefined
          ? this.writeText(node.text, field, boost, takesMinimum)
          : this.writeFuzzy(node.text, node.fuzziness, field, boost);
      case 'phrase':
        return this.writePhrase(node, field, boost);
      case 'range':
        return this.writeRange(node, field, boost);
      case 'prefix':
      case 'wildcard':
      case 'regexp':
        return compiled === undefined ? none : writePattern(node, compiled, boost, this.query);
    }
  }

  /** Nobody looks at what is asked of a field that is not mapped. */
  private assertAllowed(node: Leaf): void {
    const { path } = this.query;
    const isForbidden =
      this.query.kind === 'query_string' &&
      !this.query.allowLeadingWildcard &&
      node.kind === 'wildcard' &&
      /^[*?]/.test(node.pattern);
    if (isForbidden)
      throw invalid(path, `A wildcard at the beginning of a term is not allowed at ${path}`);
  }

  private writeText(text: string, field: string, boost: number, takesMinimum: boolean): tree.Query {
    const { path, defaultOperator, analyzer, minimumShouldMatch, fuzzyTranspositions } = this.query;
    return textQuery(
      {
        kind: 'multi_match',
        query: text,
        fields: [],
        type: this.options.type,
        operator: defaultOperator,
        slop: this.query.kind === 'query_string' ? this.query.phraseSlop : 0,
        lenient: this.query.lenient,
        zeroTermsQuery: 'none',
        prefixLength: this.query.fuzzyPrefixLength,
        maxExpansions: this.query.fuzzyMaxExpansions,
        fuzzyTranspositions,
        boost: 1,
        path,
        ...present({ analyzer, minimumShouldMatch: takesMinimum ? minimumShouldMatch : undefined }),
      },
      field,
      boost,
    );
  }

  private writePhrase(
    node: Extract<Leaf, { kind: 'phrase' }>,
    field: string,
    boost: number,
  ): tree.Query {
    const { path, lenient, analyzer, quoteAnalyzer } = this.query;
    const compiled = this.compiled.fields.get(field);
    const own =
      compiled?.searchQuoteAnalyzer === compiled?.searchAnalyzer
        ? undefined
        : compiled?.searchQuoteAnalyzer;
    return {
      kind: 'match_phrase',
      field,
      query: node.text,
      slop: node.slop ?? (this.query.kind === 'query_string' ? this.query.phraseSlop : 0),
      lenient,
      zeroTermsQuery: 'none',
      boost,
      path,
      ...present({ analyzer: quoteAnalyzer ?? analyzer ?? own }),
    };
  }

  private writeFuzzy(
    text: string,
    edits: 'default' | 0 | 1 | 2,
    field: string,
    boost: number,
  ): tree.Query {
    const { path, fuzzyPrefixLength, fuzzyMaxExpansions, fuzzyTranspositions } = this.query;
    const compiled = this.compiled.fields.get(field);
    const isText =
      compiled === undefined || compiled.type === 'text' || compiled.type === 'keyword';
    if (!isText && this.query.lenient) return { kind: 'match_none', boost, path };
    return {
      kind: 'fuzzy',
      field,
      value: normalised(compiled, this.query.analyzer, text),
      fuzziness:
        edits === 'default'
          ? this.query.kind === 'query_string'
            ? this.query.fuzziness
            : { kind: 'edits', edits: 2 }
          : { kind: 'edits', edits },
      prefixLength: fuzzyPrefixLength,
      maxExpansions: fuzzyMaxExpansions,
      transpositions: fuzzyTranspositions,
      boost,
      path,
    };
  }

  private writeRange(
    node: Extract<Leaf, { kind: 'range' }>,
    field: string,
    boost: number,
  ): tree.Query {
    const { path, lenient, analyzer } = this.query;
    const { lower, upper } = node;
    const compiled = this.compiled.fields.get(field);
    if (lower === undefined && upper === undefined) {
      // A text exists that has no words; what is between any two of them is a word.
      const hasTerms = compiled?.type === 'text' || compiled?.type === 'keyword';
      if (!hasTerms) return { kind: 'exists', field, boost, path };
      return { kind: 'range', field, lower: { value: '', inclusive: true }, boost, path };
    }
    const bound = (end: tree.RangeBound | undefined): tree.RangeBound | undefined =>
      end === undefined
        ? undefined
        : { ...end, value: normalised(compiled, analyzer, String(end.value)) };
    const timeZone = this.query.kind === 'query_string' ? this.query.timeZone : undefined;
    const query: tree.RangeQuery = {
      kind: 'range',
      field,
      boost,
      path,
      ...present({ lower: bound(lower), upper: bound(upper), timeZone }),
    };
    if (lenient && compiled !== undefined && !isTaken(() => coerceRange(compiled, query, 0)))
      return { kind: 'match_none', boost, path };
    return query;
  }
}

/** As the analyzer of the query leaves a term, and then the field. */
function normalised(
  field: CompiledField | undefined,
  analyzer: string | undefined,
  text: string,
): string {
  if (field === undefined) return text;
  return normalise(field, analyzer, analysed(field, analyzer, text));
}
