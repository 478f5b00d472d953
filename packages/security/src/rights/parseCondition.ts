import {
  evaluateFilter,
  FilterError,
  normalizeFilter,
  parseFilterWithReferences,
  type AnyCondition,
  type Filter,
} from '@millrace/filters';
import { isJsonObject, showValue, type JsonObject } from '@millrace/kernel';
import type { Condition } from './Condition.js';

/** An object as a right. Those with the second form are parsed elsewhere. */
const EXPECTED = '{when: filter} or {documents, check, fields}';

/**
 * Parses `{when: filter}`, a filter over request, user and document whose values may be `{$ref: path}`.
 * @param path of the right in its role, for messages
 * @param refuse creates the error from a message that begins with a path
 */
export function parseCondition(right: JsonObject, path: string, refuse: (message: string) => Error): Condition {
  const other = Object.keys(right).find((key) => key !== 'when');
  if (other !== undefined) {
    throw refuse(`${path}.${other.slice(0, 100)} is unknown: expected ${EXPECTED}`);
  }
  const when = Object.hasOwn(right, 'when') ? right.when : undefined;
  if (when === undefined) throw refuse(`${path}.when is missing: expected ${EXPECTED}`);
  if (!isJsonObject(when)) {
    throw refuse(`${path}.when: expected a filter, got ${showValue(when)}`);
  }
  try {
    const filter = parseFilterWithReferences(when);
    // Called only to enforce its limit: operands are evaluated in the order sent.
    normalizeFilter(filter);
    return compile(filter);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const reason = error.message.replace(/^Subscription filter/, 'Filter');
    throw refuse(`${path}.when: ${reason}`);
  }
}

function compile(filter: Filter<AnyCondition>): Condition {
  const mentionsDocument = mentions(filter);
  return {
    mentionsDocument,
    holds({ request, user, document }) {
      if (document === null && mentionsDocument) return false;
      return evaluateFilter(filter, { request, user, document });
    },
  };
}

function mentions(filter: Filter<AnyCondition>): boolean {
  switch (filter.kind) {
    case 'everything':
    case 'nothing':
      return false;
    case 'and':
    case 'or':
      return filter.operands.some(mentions);
    case 'not':
      return mentions(filter.operand);
    case 'reference':
      return (
        isOfDocument(filter.field) ||
        filter.values.some((value) => typeof value === 'object' && isOfDocument(value.path))
      );
    default:
      return isOfDocument(filter.field);
  }
}

function isOfDocument(path: string): boolean {
  return path === 'document' || path.startsWith('document.');
}
