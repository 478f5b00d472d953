import { defineAction, route, type ActionDefinition, type ContentRules } from '@millrace/kernel';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection } = storageArguments;

/** Validates content without storing or publishing it, as an action of one controller (VALID-40). */
export function validateContent(
  controller: 'document' | 'realtime',
  summary: string,
  rules: ContentRules,
): ActionDefinition {
  return defineAction({
    controller,
    action: 'validate',
    summary,
    routes: [route('POST /:index/:collection/_validate')],
    args: { index, collection },
    bodyRequired: true,
    content: storageSchemas.document,
    result: storageSchemas.verdict,
    writes: false,
    subject: 'sent',
    run: ({ args, body }) => {
      const name = nameOf(args);
      const { valid, errorMessages } = rules.report(name, body);
      return { valid, errorMessages };
    },
  });
}
