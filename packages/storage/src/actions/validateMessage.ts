import type { ActionDefinition, ContentRules } from '@millrace/kernel';
import { validateContent } from './validateContent.js';

/** realtime.validate */
export function validateMessage(rules: ContentRules): ActionDefinition {
  const summary = 'Checks a message without publishing it; the same check as document.validate.';
  return validateContent('realtime', summary, rules);
}
