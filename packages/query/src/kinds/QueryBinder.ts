import { assertSearchable } from '../coerce/coerceTerm.js';
import { invalid } from '../errors.js';
import { kindOf } from './QUERY_KINDS.js';
import { MAX_CLAUSE_COUNT } from '../parse/QueryParser.js';
import { analyzerList } from '../mapping/checkFields.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import { quote } from '../show.js';
import type { InnerHits } from '../tree/SearchRequest.js';
import type { BoundQuery, Query } from '../tree/Query.js';
import type { QueryCost } from '../cost/measureWork.js';
import type { Binding } from './Binding.js';
import { bindHighlight } from './bindHighlight.js';
import { bindSort } from './bindSort.js';
import { comparedValues, type Compared } from './comparedValues.js';

/** The context in which a query is bound: the level of its objects and the cost of the whole query so far. */
export interface BinderState {
  /** The nested field whose objects are searched; undefined: documents. */
  readonly nestedPath: string | undefined;
  /** Where the query begins: the path of an aggregation or a sort, whose filters have no inner hits. */
  readonly startPath: string | undefined;
  readonly cost: QueryCost;
  /** Number of inner hits that enclose the query, per hit of the search. */
  readonly hitFactor: number;
  readonly expanded: { clauseCount: number };
}

/** Binds one query, node by node. */
export class QueryBinder {
  constructor(
    readonly binding: Binding,
    readonly state: BinderState,
  ) {}

  get compiled(): CompiledMapping {
    return this.binding.compiled;
  }

  /** @throws QueryError if the query doesn't fit the mapping */
  bind(query: Query): BoundQuery {
    if ('analyzer' in query) this.checkAnalyzer(query.analyzer, 'analyzer', query.path);
    if ('quoteAnalyzer' in query) this.checkAnalyzer(query.quoteAnalyzer, 'quote_analyzer', query.path);
    const kind = kindOf(query);
    kind.assertEndable?.(query, this.compiled);
    this.state.cost.lookups += kind.lookups(query);
    return kind.bind(query, this);
  }

  bindAll(queries: readonly Query[]): readonly BoundQuery[] {
    return queries.map((query) => this.bind(query));
  }

  /** A binder of the same query with another context. */
  with(state: Partial<BinderState>): QueryBinder {
    return new QueryBinder(this.binding, { ...this.state, ...state });
  }

  /** A binder of the same query to another mapping. */
  on(compiled: CompiledMapping): QueryBinder {
    return new QueryBinder({ ...this.binding, compiled }, this.state);
  }

  /** The field that a query searches; undefined if it isn't mapped. @throws QueryError if it isn't indexed */
  searchedField(name: string, path: string): CompiledField | undefined {
    const field = this.compiled.fields.get(name);
    if (field !== undefined) assertSearchable(field, path);
    return field;
  }

  /** As `searchedField`, for a query that may compare whole values. @throws QueryError if the field has none */
  comparedField(compared: Compared): CompiledField | undefined {
    const { field, path, isWhole, isIdentity } = compared;
    const mapped = this.searchedField(field, path);
    if (mapped === undefined || (isWhole !== true && isIdentity !== true)) return mapped;
    const whole = comparedValues(mapped, compared);
    return whole === mapped ? mapped : this.searchedField(whole.name, path);
  }

  bindInnerHits({ sort, highlight, ...rest }: InnerHits, nestedPath: string): InnerHits<BoundQuery> {
    // The filters of a sort are part of the sort, not of the query.
    const uncounted = { ...this.binding, costs: [] };
    return {
      ...rest,
      ...(sort && { sort: sort.map((each) => bindSort(each, uncounted)) }),
      ...(highlight && { highlight: bindHighlight(highlight, this.binding, nestedPath) }),
    };
  }

  /** Counts clauses that the query expands to. @throws QueryError beyond 1,024 */
  countClauses(added: number, path: string): void {
    const { expanded } = this.state;
    expanded.clauseCount += added;
    if (expanded.clauseCount > MAX_CLAUSE_COUNT) {
      throw invalid(path, `The query at ${path} expands to more than ${MAX_CLAUSE_COUNT} clauses: name fewer fields`);
    }
  }

  private checkAnalyzer(name: string | undefined, key: string, path: string): void {
    const { analyzers } = this.compiled;
    if (name === undefined || (name !== 'default' && analyzers.has(name))) return;
    throw invalid(path, `${quote(key)} at ${path} must be one of ${analyzerList(analyzers)}, not ${quote(name)}`);
  }
}
