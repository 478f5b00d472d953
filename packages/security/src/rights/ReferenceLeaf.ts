import type { JsonObject, JsonValue } from '@millrace/kernel';
import { readFieldValue } from '@millrace/filters';

/** The path that a `{$ref: path}` names. */
export interface Reference {
  readonly path: string;
}

type Scalar = string | number | boolean;

/** A value, or where to find it. */
export type Operand<T extends Scalar = Scalar> = T | Reference;

/** A leaf of the filter language that compares with values found at decision time. */
export type ReferenceLeaf =
  | { readonly kind: 'in'; readonly field: string; readonly values: readonly Operand[] }
  | { readonly kind: 'range'; readonly field: string; readonly bounds: readonly ReferenceBound[] };

/** A bound of a range. */
export interface ReferenceBound {
  readonly operator: 'gt' | 'gte' | 'lt' | 'lte';
  readonly value: Operand<number>;
}

/**
 * Does the leaf hold? False where its field is absent, and where one of its references is absent or leads to no scalar
 * (decisions.md section 7), even if another of its values would do.
 */
export function evaluateReferenceLeaf(leaf: ReferenceLeaf, root: JsonObject): boolean {
  const actual = readFieldValue(root, leaf.field);
  if (actual === undefined) return false;
  switch (leaf.kind) {
    case 'in': {
      const values = leaf.values.map((operand) => resolve(operand, root));
      return !values.includes(undefined) && values.some((value) => value === actual);
    }
    case 'range':
      return (
        typeof actual === 'number' &&
        leaf.bounds.every(({ operator, value }) => isWithin(actual, operator, resolve(value, root)))
      );
  }
}

/** All paths that the leaf reads. */
export function pathsOf(leaf: ReferenceLeaf): readonly string[] {
  const operands = leaf.kind === 'in' ? leaf.values : leaf.bounds.map(({ value }) => value);
  return [leaf.field, ...operands.filter(isReference).map(({ path }) => path)];
}

/** Is it a path instead of a value? */
function isReference(operand: Operand): operand is Reference {
  return typeof operand === 'object';
}

function resolve(operand: Operand, root: JsonObject): Scalar | undefined {
  if (!isReference(operand)) return operand;
  const value = readFieldValue(root, operand.path);
  return isScalar(value) ? value : undefined;
}

function isScalar(value: JsonValue | undefined): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isWithin(
  actual: number,
  operator: ReferenceBound['operator'],
  bound: Scalar | undefined,
): boolean {
  if (typeof bound !== 'number') return false;
  switch (operator) {
    case 'gt':
      return actual > bound;
    case 'gte':
      return actual >= bound;
    case 'lt':
      return actual < bound;
    case 'lte':
      return actual <= bound;
  }
}
