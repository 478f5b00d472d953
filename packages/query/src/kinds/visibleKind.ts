import { bindView } from './bindView.js';
import { narrowFields } from '../view/narrowFields.js';
import type { SearchView } from '../tree/SearchRequest.js';
import type { Query, QueryBase } from '../tree/Query.js';
import { NO_CLAUSES } from './compoundKinds.js';
import type { QueryKind } from './QueryKind.js';

/** A query over the part of a collection that its caller sees; made by services, never parsed, replaced by `bindQuery`. */
export interface VisibleQuery extends QueryBase {
  readonly kind: 'visible';
  readonly query: Query;
  readonly view: SearchView;
}

/** `visible`. */
export const VISIBLE_KIND: QueryKind<'visible'> = {
  bind({ query, view, boost, path }, binder) {
    const { compiled, nowMs } = binder.binding;
    const bound = binder.on(narrowFields(compiled, view.fields)).bind(query);
    const within = bindView(view, compiled, nowMs);
    if (within === undefined) return bound;
    return { kind: 'bool', ...NO_CLAUSES, must: [bound], filter: [within], boost, path };
  },
  // Without its view, the query inside is not the caller's.
  clauses: null,
  lookups: () => 0,
};
