import {
  evaluateCondition,
  FilterError,
  normalizeFilter,
  parseFilter,
  type Filter,
} from '@millrace/filters';
import { isJsonObject, showValue, type JsonObject } from '@millrace/kernel';
import type { Condition } from './Condition.js';
import { extractReferences } from './extractReferences.js';
import { evaluateReferenceLeaf, pathsOf, type ReferenceLeaf } from './ReferenceLeaf.js';

type Leaves = ReadonlyMap<string, ReferenceLeaf>;

/**
 * Reads `{when: filter}` (decisions.md section 7; realtime-filters.md with its limits).
 * @param path of the right in its role, for messages
 * @param refuse makes the error of a message that begins with a path
 */
export function parseCondition(
  right: JsonObject,
  path: string,
  refuse: (message: string) => Error,
): Condition {
  const other = Object.keys(right).find((key) => key !== 'when');
  if (other !== undefined) {
    throw refuse(`${path}.${other.slice(0, 100)} is unknown: expected {when: filter}`);
  }
  const when = Object.hasOwn(right, 'when') ? right.when : undefined;
  if (when === undefined) throw refuse(`${path}.when is missing: expected {when: filter}`);
  if (!isJsonObject(when)) {
    throw refuse(`${path}.when: expected a filter, got ${showValue(when)}`);
  }
  const { filter: json, leaves } = extractReferences(when, (reason) =>
    refuse(`${path}.when: ${reason}`),
  );
  try {
    const filter = parseFilter(json);
    // Only to hold it to the limits: the order of the operands as sent is the one to evaluate in.
    normalizeFilter(filter);
    return compile(filter, leaves);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const reason = error.message.replace(/^Subscription filter/, 'Filter');
    throw refuse(`${path}.when: ${reason}`);
  }
}

function compile(filter: Filter, leaves: Leaves): Condition {
  const mentionsDocument = mentions(filter, leaves);
  return {
    mentionsDocument,
    holds({ request, user, document }) {
      if (document === null && mentionsDocument) return false;
      return evaluate(filter, { request, user, document }, leaves);
    },
  };
}

function evaluate(filter: Filter, root: JsonObject, leaves: Leaves): boolean {
  switch (filter.kind) {
    case 'everything':
      return true;
    case 'nothing':
      return false;
    case 'and':
      return filter.operands.every((operand) => evaluate(operand, root, leaves));
    case 'or':
      return filter.operands.some((operand) => evaluate(operand, root, leaves));
    case 'not':
      return !evaluate(filter.operand, root, leaves);
    default: {
      const leaf = referenceLeafOf(filter, leaves);
      return leaf ? evaluateReferenceLeaf(leaf, root) : evaluateCondition(filter, root);
    }
  }
}

function mentions(filter: Filter, leaves: Leaves): boolean {
  switch (filter.kind) {
    case 'everything':
    case 'nothing':
      return false;
    case 'and':
    case 'or':
      return filter.operands.some((operand) => mentions(operand, leaves));
    case 'not':
      return mentions(filter.operand, leaves);
    default: {
      const leaf = referenceLeafOf(filter, leaves);
      const paths = leaf ? pathsOf(leaf) : [filter.field];
      return paths.some((each) => each === 'document' || each.startsWith('document.'));
    }
  }
}

function referenceLeafOf(filter: Filter, leaves: Leaves): ReferenceLeaf | undefined {
  if (filter.kind !== 'in' || filter.values.length !== 1) return undefined;
  const [value] = filter.values;
  return typeof value === 'string' ? leaves.get(value) : undefined;
}
