import type { QueryCost } from '../cost/measureWork.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';

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
