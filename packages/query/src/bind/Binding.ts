import type { CompiledMapping } from '../mapping/CompiledMapping.js';

/** Cost of one bound query, see `measureWork`. */
export interface QueryCost {
  readonly path: string;
  /** Number of terms to look up. */
  lookups: number;
  /** Fields to highlight in inner hits, per hit of the search. */
  innerPassages: number;
}

/** What the queries of one request are bound to. */
export interface Binding {
  readonly compiled: CompiledMapping;
  /** The request's `now`. */
  readonly nowMs: number;
  /** The costs of the queries bound so far. */
  readonly costs: QueryCost[];
  /** True if the mapping lacks fields that the engine knows: it must not expand patterns itself. */
  readonly isNarrowed?: boolean;
}
