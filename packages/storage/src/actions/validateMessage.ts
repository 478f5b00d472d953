import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { ContentRules } from '../documents/ContentRules.js';
import { toCollectionName } from '../names/toCollectionName.js';
import { storageArguments } from './storageArguments.js';

const { index, collection } = storageArguments;

/** realtime.validate (validation.md section 8.1) */
export function validateMessage(rules: ContentRules): ActionDefinition {
  return defineAction({
    controller: 'realtime',
    action: 'validate',
    summary: 'Checks a message without publishing it; the same check as document.validate.',
    routes: [route('POST /:index/:collection/_validate')],
    args: { index, collection },
    writes: false,
    run: ({ args, body }) => {
      const name = toCollectionName(args.index, args.collection);
      const { valid, errorMessages } = rules.report(name, body);
      return { valid, errorMessages };
    },
  });
}
