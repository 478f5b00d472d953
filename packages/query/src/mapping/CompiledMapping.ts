import type { Analyzers } from '../analysis/compileAnalysis.js';
import type { DateFormat } from '../date/DateFormat.js';
import type { Dynamic, LeafType, Mapping } from './Mapping.js';

/** A field with all options resolved. One shape for every type, so that property reads on the hot path stay fast. */
export interface CompiledField {
  readonly kind: 'field';
  /** Small integer, unique in its mapping; `compileMapping(next, previous)` keeps those of fields that were there. */
  readonly ordinal: number;
  /** Full name, multi-fields included: `author.name.keyword`. */
  readonly name: string;
  readonly type: LeafType;
  /** `index`: can be queried. */
  readonly isIndexed: boolean;
  /** Can be sorted and aggregated: `doc_values`, or `fielddata` of a text. */
  readonly hasDocValues: boolean;
  /** `store`: kept apart from `_source`, which asks more of the values of some types. */
  readonly isStored: boolean;
  /** Nearest nested object around the field; undefined: the root document. */
  readonly nestedPath: string | undefined;
  /** As given; indexed as if it stood in the document. */
  readonly nullValue: string | number | boolean | undefined;
  readonly ignoreMalformed: boolean;
  readonly coerce: boolean;
  /** UTF-16 length above which a keyword is not indexed; Infinity when not given. */
  readonly ignoreAbove: number;
  readonly scalingFactor: number;
  readonly isLowerCased: boolean;
  readonly dateFormat: DateFormat;
  readonly analyzer: string;
  readonly searchAnalyzer: string;
  readonly searchQuoteAnalyzer: string;
  /** All analyzers of the mapping. */
  readonly analyzers: Analyzers;
  readonly hasNorms: boolean;
  /** False for texts with `index_options: "docs"`, which know of a term only whether it is there. */
  readonly hasFrequencies: boolean;
  readonly hasPositions: boolean;
  readonly positionIncrementGap: number;
  readonly ignoreZValue: boolean;
  readonly multiFields: readonly CompiledField[];
  /** Targets of `copy_to`, resolved. */
  readonly copyTo: readonly CompiledField[];
}

/** An object or nested object with its options resolved. */
export interface CompiledObject {
  readonly kind: 'object';
  /** Full name; '' for the root. */
  readonly name: string;
  readonly isNested: boolean;
  readonly isEnabled: boolean;
  /** Inherited where not given. */
  readonly dynamic: Dynamic;
  readonly includeInParent: boolean;
  readonly includeInRoot: boolean;
  /** Nearest nested object around it, itself excluded. */
  readonly nestedPath: string | undefined;
  readonly children: ReadonlyMap<string, CompiledField | CompiledObject>;
}

/** A mapping made ready for parsing documents and resolving names; immutable, make it once per mapping. */
export interface CompiledMapping {
  readonly mapping: Mapping;
  readonly analyzers: Analyzers;
  readonly root: CompiledObject;
  /** Every field by full name, multi-fields included. */
  readonly fields: ReadonlyMap<string, CompiledField>;
  /** Every object by full name (without the root). */
  readonly objects: ReadonlyMap<string, CompiledObject>;
  /** By ordinal; may have holes. */
  readonly fieldsByOrdinal: readonly (CompiledField | undefined)[];
  /** Targets of `copy_to` that are not mapped yet: the first value copied creates them. */
  readonly missingCopyTargets: ReadonlyMap<CompiledField, readonly string[]>;
}
