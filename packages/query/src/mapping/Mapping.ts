import type { JsonObject } from '@millrace/language';
import type { AnalysisSettings } from '../analysis/parseAnalysis.js';

/** Every type of a field that contains values. */
export const LEAF_TYPES = [
  'text',
  'keyword',
  'byte',
  'short',
  'integer',
  'long',
  'float',
  'double',
  'half_float',
  'scaled_float',
  'boolean',
  'date',
  'ip',
  'geo_point',
  'geo_shape',
  'binary',
] as const;

/** Types of fields that contain values (SEARCH-41). */
export type LeafType = (typeof LEAF_TYPES)[number];

/** Handling of document fields that the mapping lacks. */
export type Dynamic = true | false | 'strict';

/** A field with values; `parameters` are those given, in the current syntax, without `type`, `fields`, `copy_to`. */
export interface LeafMapping {
  readonly kind: 'leaf';
  readonly type: LeafType;
  readonly parameters: JsonObject;
  readonly copyTo: readonly string[];
  readonly fields: ReadonlyMap<string, LeafMapping>;
}

/** An object or nested object. */
export interface ObjectMapping {
  readonly kind: 'object';
  readonly isNested: boolean;
  /** Absent: inherited. */
  readonly dynamic?: Dynamic;
  /** Absent: true. */
  readonly enabled?: boolean;
  readonly includeInParent?: boolean;
  readonly includeInRoot?: boolean;
  readonly properties: ReadonlyMap<string, FieldMapping>;
}

/** An entry of `properties`. */
export type FieldMapping = LeafMapping | ObjectMapping;

/** A collection's mapping in the current syntax, as stored; `compileMapping` resolves it for use. */
export interface Mapping {
  /** Absent: true. */
  readonly dynamic?: Dynamic;
  readonly dateDetection?: boolean;
  readonly numericDetection?: boolean;
  readonly dynamicDateFormats?: readonly string[];
  /** `settings.analysis`: custom analyzers of the collection and their parts. */
  readonly analysis?: AnalysisSettings;
  readonly properties: ReadonlyMap<string, FieldMapping>;
}
