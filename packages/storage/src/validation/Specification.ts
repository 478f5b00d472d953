import type { Filter } from '@millrace/filters';
import type { JsonValue } from '@millrace/kernel';
import type { FieldType } from './fieldTypes/OptionReader.js';

/** A validated specification of one collection (VALID-1). */
export interface Specification {
  readonly root: SpecificationLevel;
  /** The document with defaults must match them. */
  readonly validators: Filter | undefined;
}

/** The fields declared for one object, in declaration order. */
export interface SpecificationLevel {
  /** Undeclared keys are refused; never true if no fields are declared. */
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
  /** Undefined: a single value. */
  readonly counts: { readonly min: number; readonly max: number } | undefined;
  /** For an object, whose list of fields may be empty. */
  readonly level: SpecificationLevel | undefined;
}
