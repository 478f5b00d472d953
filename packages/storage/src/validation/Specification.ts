import type { Filter } from '@millrace/filters';
import type { JsonValue } from '@millrace/kernel';
import type { FieldType } from './fieldTypes/FieldType.js';

/** A specification of one collection, checked (VALID-1). */
export interface Specification {
  readonly root: SpecificationLevel;
  /** Must match the document with defaults. */
  readonly validators: Filter | undefined;
}

/** The fields declared for one object, in declaration order. */
export interface SpecificationLevel {
  /** Undeclared keys are refused; never so where nothing is declared. */
  readonly isStrict: boolean;
  readonly fields: ReadonlyMap<string, SpecifiedField>;
}

/** One declared field. */
export interface SpecifiedField {
  /** Names from the root to the field. */
  readonly path: readonly string[];
  readonly type: FieldType;
  readonly isMandatory: boolean;
  /** Undefined: none. */
  readonly defaultValue: JsonValue | undefined;
  /** Undefined: one value. */
  readonly counts: { readonly min: number; readonly max: number } | undefined;
  /** Of an object; its fields may be none. */
  readonly level: SpecificationLevel | undefined;
}
