import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { SearchExplanation } from '../search/SearchExplanation.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection } = storageArguments;

/** document.explain */
export function explainSearch(explanation: SearchExplanation): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'explain',
    summary: 'Explains how a search is understood, what its clauses cost, and how it could be kept up to date.',
    routes: [route('POST /:index/:collection/_explain')],
    args: { index, collection },
    content: storageSchemas.search,
    result: storageSchemas.explanation,
    writes: false,
    queue: 'search',
    run: ({ request, args, body }) => explanation.explain(nameOf(args), body, request),
  });
}
