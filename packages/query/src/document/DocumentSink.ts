import type { Shape } from '../geo/Shape.js';
import type { CompiledField, CompiledObject } from '../mapping/CompiledMapping.js';

/**
 * Receives the indexed values of one document, in the order of the document, from `parseDocument`. Values of an array
 * arrive one by one; multi-fields and `copy_to` targets get calls of their own, `null_value` is applied, values over
 * `ignore_above` or ignored as malformed do not arrive. Fields with `index: false` arrive too (they may have doc values).
 */
export interface DocumentSink {
  /** Text to analyse. Between two values of one field count `positionIncrementGap`. */
  text(field: CompiledField, value: string): void;
  keyword(field: CompiledField, value: string): void;
  /** All number types; already rounded to the field's precision (float, half_float, scaled_float, integers). */
  number(field: CompiledField, value: number): void;
  boolean(field: CompiledField, value: boolean): void;
  /** Milliseconds of UTC. */
  date(field: CompiledField, ms: number): void;
  /** 32 hexadecimal digits (IPv4 as `::ffff:a.b.c.d`): sorts as addresses do; `formatIp` gives the usual form. */
  ip(field: CompiledField, key: string): void;
  point(field: CompiledField, lat: number, lon: number): void;
  shape(field: CompiledField, shape: Shape): void;
  /** Content that the mapping keeps apart from the document (`store`): that it is there is all there is to find. */
  binary(field: CompiledField): void;
  /** What follows belongs to one more object of this nested field, until the matching `endNested`; may itself nest. */
  beginNested(object: CompiledObject): void;
  endNested(object: CompiledObject): void;
}
