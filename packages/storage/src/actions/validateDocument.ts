import type { ActionDefinition } from '@millrace/kernel';
import type { ContentRules } from '../documents/ContentRules.js';
import { validateContent } from './validateContent.js';

/** document.validate */
export function validateDocument(rules: ContentRules): ActionDefinition {
  return validateContent('document', 'Checks a document without storing it.', rules);
}
