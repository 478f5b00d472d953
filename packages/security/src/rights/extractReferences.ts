/*
 * The filter language knows no references, and its parser is not to be written twice. So each leaf that has a reference
 * is taken out of the JSON before it is parsed, and `{equals: {<its field>: <placeholder>}}` stands in for it; the
 * evaluation of the parsed filter recognises the placeholder. What isn't a well-formed leaf with references stays where
 * it is, and the parser refuses it: an object is nowhere a value.
 */
import { DEFAULT_FILTER_LIMITS } from '@millrace/filters';
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import type { Operand, Reference, ReferenceBound, ReferenceLeaf } from './ReferenceLeaf.js';

/** A filter without references, and the leaves that were taken out by their placeholders. */
export interface ExtractedReferences {
  readonly filter: JsonValue;
  readonly leaves: ReadonlyMap<string, ReferenceLeaf>;
}

const REFERENCE_KEY = '$ref';
const MAX_PATH_LENGTH = 512;
const LIMITS = DEFAULT_FILTER_LIMITS;

/**
 * Takes the leaves with references out of a filter.
 * @param refuse makes the error for a reference that is malformed or stands where none may
 */
export function extractReferences(
  filter: JsonValue,
  refuse: (reason: string) => Error,
): ExtractedReferences {
  const text = JSON.stringify(filter);
  const leaves = new Map<string, ReferenceLeaf>();
  if (!text.includes(REFERENCE_KEY)) return { filter, leaves };
  const prefix = unusedPrefix(text);

  const visit = (node: JsonValue, depth: number): JsonValue => {
    const [entry, ...others] = isJsonObject(node) ? Object.entries(node) : [];
    if (entry === undefined || others.length > 0 || depth > LIMITS.depth) return node;
    const [operator, argument] = entry;
    switch (operator) {
      case 'and':
      case 'or':
        return { [operator]: visitEach(argument, depth) };
      case 'not':
        return { not: visit(argument, depth + 1) };
      case 'bool':
        if (!isJsonObject(argument)) return node;
        return { bool: mapValues(argument, (each) => visitEach(each, depth)) };
      default:
        return visitLeaf(node, operator, argument);
    }
  };
  const visitEach = (list: JsonValue, depth: number): JsonValue =>
    isList(list) ? list.map((each) => visit(each, depth + 1)) : visit(list, depth + 1);
  const visitLeaf = (node: JsonValue, operator: string, argument: JsonValue): JsonValue => {
    const leaf = toReferenceLeaf(operator, argument);
    if (leaf === undefined) {
      if (!holdsReference(argument)) return node;
      throw refuse(
        `{$ref: "<path>"} has one path as text, and stands in place of a value of equals, in or range, not so in "${operator.slice(0, 60)}"`,
      );
    }
    const placeholder = `${prefix}${leaves.size}`;
    leaves.set(placeholder, leaf);
    // `fromEntries` defines keys, so that a field `__proto__` stays a field.
    return { equals: Object.fromEntries([[leaf.field, placeholder]]) };
  };
  return { filter: visit(filter, 0), leaves };
}

/** Undefined where it is no well-formed leaf, or one without references. */
function toReferenceLeaf(operator: string, argument: JsonValue): ReferenceLeaf | undefined {
  const isAlias = operator === 'term' || operator === 'terms';
  const [field, value] = onlyEntry(argument, isAlias) ?? [];
  if (field === undefined || value === undefined) return undefined;
  switch (operator) {
    case 'term':
    case 'equals': {
      const [key, inner] = (operator === 'term' ? onlyEntry(value, true) : undefined) ?? [];
      const operand = toOperand(key === 'value' && inner !== undefined ? inner : value);
      return operand === undefined ? undefined : withReferences(field, [operand]);
    }
    case 'terms':
    case 'in':
      if (!isList(value) || value.length > LIMITS.values) return undefined;
      return withReferences(field, value.map(toOperand));
    case 'range':
      return toRange(field, value);
    default:
      return undefined;
  }
}

function withReferences(
  field: string,
  values: readonly (Operand | undefined)[],
): ReferenceLeaf | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length < values.length || !known.some((value) => typeof value === 'object')) {
    return undefined;
  }
  return { kind: 'in', field, values: known };
}

function toRange(field: string, value: JsonValue): ReferenceLeaf | undefined {
  if (!isJsonObject(value)) return undefined;
  const bounds: ReferenceBound[] = [];
  for (const [operator, given] of Object.entries(value)) {
    const operand = toOperand(given);
    if (!isBoundOperator(operator) || typeof operand === 'string') return undefined;
    if (operand === undefined || typeof operand === 'boolean') return undefined;
    bounds.push({ operator, value: operand });
  }
  const lower = bounds.filter(({ operator }) => operator.startsWith('g'));
  if (lower.length > 1 || bounds.length - lower.length > 1) return undefined;
  const hasReference = bounds.some((bound) => typeof bound.value === 'object');
  return hasReference ? { kind: 'range', field, bounds } : undefined;
}

function isBoundOperator(text: string): text is ReferenceBound['operator'] {
  return ['gt', 'gte', 'lt', 'lte'].includes(text);
}

function toOperand(value: JsonValue): Operand | undefined {
  if (isJsonObject(value)) return toReference(value);
  return value === null || isList(value) ? undefined : value;
}

function toReference(value: JsonObject): Reference | undefined {
  const [key, path] = onlyEntry(value, false) ?? [];
  const isPath = typeof path === 'string' && path !== '' && path.length <= MAX_PATH_LENGTH;
  return key === REFERENCE_KEY && isPath ? { path } : undefined;
}

/**
 * The key and value of an object that has one.
 * @param isAlias without `boost` and `_name`, which say nothing beside the argument of an alias
 */
function onlyEntry(value: JsonValue, isAlias: boolean): readonly [string, JsonValue] | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  const kept = isAlias ? entries.filter(([key]) => key !== 'boost' && key !== '_name') : entries;
  return kept.length === 1 ? kept[0] : undefined;
}

/** Below a leaf's argument, as far down as its values stand. */
function holdsReference(argument: JsonValue, depth = 0): boolean {
  if (argument === null || typeof argument !== 'object') return false;
  if (depth > 0 && Object.hasOwn(argument, REFERENCE_KEY)) return true;
  return depth < 3 && Object.values(argument).some((each) => holdsReference(each, depth + 1));
}

/** A text that does not occur in the filter, so that no value of it can be taken for a placeholder. */
function unusedPrefix(text: string): string {
  const used = new Set(text.match(/ref-\d+-/g));
  let number = 0;
  while (used.has(`ref-${number}-`)) number++;
  return `ref-${number}-`;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function mapValues(object: JsonObject, map: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
