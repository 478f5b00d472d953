import { lowerCase, wordsOf } from '@millrace/language';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import { resolveMinimumShouldMatch } from '../parse/parseMinimumShouldMatch.js';
import { present } from '../present.js';
import type * as tree from '../tree/Query.js';
import type { FieldLeaf, LuceneClause, LuceneClauses, LuceneNode } from './LuceneNode.js';
import { analyzerOf } from '../mapping/analyzerOf.js';

/** Creates a query over several fields. */
export interface FieldQueries {
  readonly resolve: (fields: readonly tree.WeightedField[]) => readonly tree.WeightedField[];
  readonly writeText: (query: tree.MultiMatchQuery, fields: readonly tree.WeightedField[]) => tree.Query;
  readonly join: (queries: readonly tree.Query[], tieBreaker: number, base: tree.QueryBase) => tree.Query;
}

type TextLeaf = Extract<FieldLeaf, { kind: 'text' | 'phrase' }>;
type ExistsLeaf = Extract<FieldLeaf, { kind: 'exists' }>;
type TermLeaf = Exclude<FieldLeaf, TextLeaf | ExistsLeaf>;
type RangeLeaf = Extract<FieldLeaf, { kind: 'range' }>;

/** A search over all fields is lenient by default. */
export function isAllFields(fields: readonly tree.WeightedField[]): boolean {
  return fields.length === 0 || fields.some(({ field }) => field === '*');
}

/** Converts the syntax tree of one `query_string` to queries. */
export class LuceneWriter {
  /** By the field named before a colon. */
  private readonly resolved = new Map<string | undefined, readonly tree.WeightedField[]>();

  constructor(
    private readonly query: tree.QueryStringQuery,
    private readonly compiled: CompiledMapping,
    private readonly fieldQueries: FieldQueries,
  ) {}

  /**
   * `minimum_should_match` counts the clauses of the whole string, or the words of a single text clause on one field.
   */
  write(): tree.Query {
    const { syntax, minimumShouldMatch, path } = this.query;
    const written = this.writeNode(syntax) ?? { kind: 'match_none', boost: 1, path };
    if (minimumShouldMatch === undefined) return written;
    if (written.kind === 'match') return { ...written, minimumShouldMatch };
    if (written.kind !== 'bool') return written;
    const minimum = resolveMinimumShouldMatch(minimumShouldMatch, written.should.length);
    return { ...written, minimumShouldMatch: Math.max(written.minimumShouldMatch, minimum) };
  }

  /** Undefined if it is not a condition: text of which analysis leaves no words, such as a stop word. */
  private writeNode(node: LuceneNode): tree.Query | undefined {
    const { path } = this.query;
    switch (node.kind) {
      case 'none':
        return undefined;
      case 'all':
        return { kind: 'match_all', boost: node.boost, path };
      case 'clauses':
        return this.writeClauses(node);
      case 'text':
      case 'phrase':
        return this.writeText(node);
      case 'exists':
        return this.writeExists(node);
      default: {
        const queries = this.fieldsOf(node).map((field) => this.writeTerm(node, field));
        return this.fieldQueries.join(queries, this.tieBreaker, { boost: node.boost, path });
      }
    }
  }

  private get tieBreaker(): number {
    const { type, tieBreaker } = this.query;
    return tieBreaker ?? (type === 'most_fields' || type === 'bool_prefix' ? 1 : 0);
  }

  private fieldsOf({ field }: FieldLeaf): readonly tree.WeightedField[] {
    let fields = this.resolved.get(field);
    if (fields === undefined) {
      const named = field === undefined ? this.query.fields : [{ field, boost: 1 }];
      fields = this.fieldQueries.resolve(named);
      this.resolved.set(field, fields);
    }
    return fields;
  }

  private writeClauses({ clauses, boost }: LuceneClauses): tree.Query | undefined {
    const { path } = this.query;
    const of = (occur: LuceneClause['occur']) =>
      clauses.filter((clause) => clause.occur === occur).flatMap(({ node }) => this.writeNode(node) ?? []);
    const [must, should, mustNot] = [of('must'), of('should'), of('must_not')];
    const isNegative = must.length + should.length === 0;
    if (isNegative && mustNot.length === 0) return undefined;
    return {
      kind: 'bool',
      must,
      filter: isNegative ? [{ kind: 'match_all', boost: 1, path }] : [],
      should,
      mustNot,
      minimumShouldMatch: must.length === 0 && should.length > 0 ? 1 : 0,
      boost,
      path,
    };
  }

  private writeText(node: TextLeaf): tree.Query | undefined {
    const { defaultOperator, lenient, path, type, tieBreaker, fuzzyTranspositions } = this.query;
    const isPhrase = node.kind === 'phrase';
    const analyzer = (isPhrase ? this.query.quoteAnalyzer : undefined) ?? this.query.analyzer;
    const all = this.fieldsOf(node);
    const fields = all.filter(({ field }) => this.leavesWords(node.text, field, analyzer));
    if (fields.length === 0 && all.length > 0) return undefined;
    return this.fieldQueries.writeText(
      {
        kind: 'multi_match',
        query: node.text,
        fields: [],
        type: isPhrase ? 'phrase' : type,
        operator: defaultOperator,
        slop: isPhrase ? node.slop : this.query.phraseSlop,
        lenient,
        zeroTermsQuery: 'none',
        prefixLength: this.query.fuzzyPrefixLength,
        maxExpansions: this.query.fuzzyMaxExpansions,
        fuzzyTranspositions,
        boost: node.boost,
        path,
        ...present({ tieBreaker, analyzer }),
      },
      fields,
    );
  }

  private leavesWords(text: string, name: string, analyzer: string | undefined): boolean {
    const field = this.compiled.fields.get(name);
    if (field?.type !== 'text') return true;
    return wordsOf(analyzerOf(field, analyzer ?? field.searchAnalyzer), text).length > 0;
  }

  /** `*` alone requires a value in the default fields; if these are all fields, it matches everything. */
  private writeExists({ field, boost }: ExistsLeaf): tree.Query {
    const { path, fields } = this.query;
    if (field !== undefined) return { kind: 'exists', field, boost, path };
    if (isAllFields(fields)) return { kind: 'match_all', boost, path };
    const queries = this.fieldQueries.resolve(fields).map((each): tree.Query => ({ kind: 'exists', ...each, path }));
    return this.fieldQueries.join(queries, this.tieBreaker, { boost, path });
  }

  private writeTerm(node: TermLeaf, { field, boost }: tree.WeightedField): tree.Query {
    const { path, lenient, analyzer } = this.query;
    const compiled = this.compiled.fields.get(field);
    const none: tree.Query = { kind: 'match_none', boost, path };
    if (compiled === undefined) return none;
    if (node.kind === 'range') return this.writeRange(node, compiled, boost);
    if (lenient && compiled.type !== 'text' && compiled.type !== 'keyword') return none;
    const base = { field, boost, path };
    const pattern = { caseInsensitive: false, ...base };
    switch (node.kind) {
      case 'fuzzy':
        return {
          kind: 'fuzzy',
          value: normalised(compiled, analyzer, node.text),
          fuzziness: node.fuzziness,
          prefixLength: this.query.fuzzyPrefixLength,
          maxExpansions: this.query.fuzzyMaxExpansions,
          transpositions: this.query.fuzzyTranspositions,
          ...base,
        };
      case 'prefix':
        if (this.query.analyzesWildcard && compiled.type === 'text') {
          return {
            kind: 'match_bool_prefix',
            query: node.text,
            operator: this.query.defaultOperator,
            zeroTermsQuery: 'none',
            lenient,
            prefixLength: 0,
            maxExpansions: 50,
            fuzzyTranspositions: true,
            ...present({ analyzer }),
            ...base,
          };
        }
        return { kind: 'prefix', value: normalised(compiled, analyzer, node.text), ...pattern };
      case 'wildcard':
        return {
          kind: 'wildcard',
          value: normalised(compiled, analyzer, node.pattern),
          ...pattern,
        };
      case 'regexp':
        return { kind: 'regexp', value: node.pattern, flags: 'ALL', ...pattern };
    }
  }

  private writeRange({ lower, upper }: RangeLeaf, compiled: CompiledField, boost: number): tree.Query {
    const { path, lenient, analyzer, timeZone } = this.query;
    const base = { field: compiled.name, boost, path };
    if (lower === undefined && upper === undefined) return { kind: 'exists', ...base };
    const bound = (end: tree.RangeBound | undefined): tree.RangeBound | undefined =>
      end && { ...end, value: normalised(compiled, analyzer, String(end.value)) };
    const ends = present({ lower: bound(lower), upper: bound(upper), timeZone });
    return { kind: 'range', ...base, ...ends, lenient };
  }
}

/** Normalizes a term or pattern as the field's terms are: to lower case if they are. */
function normalised(field: CompiledField, analyzer: string | undefined, text: string): string {
  if (field.type === 'keyword') return field.isLowerCased ? lowerCase(text) : text;
  if (field.type !== 'text') return text;
  return analyzerOf(field, analyzer ?? field.searchAnalyzer).normalize(text);
}
