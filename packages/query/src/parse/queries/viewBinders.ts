import { bindView } from '../../view/bindView.js';
import { narrowFields } from '../../view/narrowFields.js';
import type { Binders } from '../queryBinders.js';

export const VIEW_BINDERS: Binders<'visible'> = {
  visible: ({ query, view, boost, path }, binder) => {
    const { compiled, nowMs } = binder.binding;
    const bound = binder.on(narrowFields(compiled, view.fields)).bind(query);
    const within = bindView(view, compiled, nowMs);
    if (within === undefined) return bound;
    const clauses = { must: [bound], filter: [within], should: [], mustNot: [] };
    return { kind: 'bool', ...clauses, minimumShouldMatch: 0, boost, path };
  },
};
