import type { Shape } from '../geo/parseShape.js';
import type { CompiledField, CompiledObject } from '../mapping/CompiledMapping.js';

/**
 * Receives the indexed values of one document from `parseDocument`, in document order. Values of an array arrive one by
 * one; multi-fields and `copy_to` targets receive separate calls; `null_value` is applied. Values longer than
 * `ignore_above` or ignored as malformed are not reported. Fields with `index: false` are reported too (they may have
 * doc values).
 */
export interface DocumentSink {
  /** Text to analyse. Successive values of one field are `positionIncrementGap` positions apart. */
  text(field: CompiledField, value: string): void;
  keyword(field: CompiledField, value: string): void;
  /** All number types; already rounded to the field's precision (float, half_float, scaled_float, integers). */
  number(field: CompiledField, value: number): void;
  boolean(field: CompiledField, value: boolean): void;
  /** Milliseconds of UTC. */
  date(field: CompiledField, ms: number): void;
  /**
   * 32 hexadecimal digits (IPv4 as `::ffff:a.b.c.d`): sorts as addresses do; `formatIp` converts back to the usual
   * form.
   */
  ip(field: CompiledField, key: string): void;
  point(field: CompiledField, lat: number, lon: number): void;
  shape(field: CompiledField, shape: Shape): void;
  /** Content stored outside `_source` (`store`): only its presence can be searched. */
  binary(field: CompiledField): void;
  /**
   * Subsequent values belong to another object of this nested field, until the matching `endNested`. Calls may be
   * nested.
   */
  beginNested(object: CompiledObject): void;
  endNested(object: CompiledObject): void;
}
