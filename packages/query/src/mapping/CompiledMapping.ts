import type { DateFormat } from '@millrace/language';
import type { Analyzers } from '../analysis/compileAnalysis.js';
import type { Dynamic, LeafType, Mapping } from './Mapping.js';

/** A field with all options resolved. All types share one shape, so that property reads on the hot path stay fast. */
export interface CompiledField {
  readonly kind: 'field';
  /** Small integer, unique in its mapping; `compileMapping(next, previous)` keeps the ordinals of existing fields. */
  readonly ordinal: number;
  /** Full name, multi-fields included: `author.name.keyword`. */
  readonly name: string;
  readonly type: LeafType;
  /** `index`: can be queried. */
  readonly isIndexed: boolean;
  /** Can be sorted and aggregated: `doc_values`, or `fielddata` of text fields. */
  readonly hasDocValues: boolean;
  /** `store`: stored outside `_source`, which makes the checks of some types stricter. */
  readonly isStored: boolean;
  /** Nearest enclosing nested object; undefined: the root document. */
  readonly nestedPath: string | undefined;
  /** As given; indexed as if it were in the document. */
  readonly nullValue: string | number | boolean | undefined;
  readonly ignoreMalformed: boolean;
  readonly coerce: boolean;
  /** UTF-16 length above which a keyword is not indexed; Infinity if not given. */
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
  /** False for text fields with `index_options: "docs"`, which index only the presence of a term. */
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
  /** Inherited if not given. */
  readonly dynamic: Dynamic;
  readonly includeInParent: boolean;
  readonly includeInRoot: boolean;
  /** Nearest enclosing nested object, excluding itself. */
  readonly nestedPath: string | undefined;
  readonly children: ReadonlyMap<string, CompiledField | CompiledObject>;
}

/** A mapping compiled for parsing documents and resolving names; immutable, created once per mapping. */
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
  /** Unmapped targets of `copy_to`: the first value copied creates them. */
  readonly missingCopyTargets: ReadonlyMap<CompiledField, readonly string[]>;
}
