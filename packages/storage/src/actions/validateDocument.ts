import type { ActionDefinition, ContentRules } from '@millrace/kernel';
import { validateContent } from './validateContent.js';

/** document.validate */
export function validateDocument(rules: ContentRules): ActionDefinition {
  return validateContent('document', 'Checks a document without storing it.', rules);
}
