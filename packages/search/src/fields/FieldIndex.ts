import type { CompiledField, Shape } from '@millrace/query';
import { NumberColumn } from '../columns/NumberColumn.js';
import { PointColumn } from '../columns/PointColumn.js';
import { Geometry } from '../geo/Geometry.js';
import type { IndexInput } from '../stored/IndexInput.js';
import type { IndexOutput } from '../stored/IndexOutput.js';
import { TermField } from './TermField.js';
import { TextField } from './TextField.js';

/** A field whose index is one column. */
abstract class ColumnField {
  abstract readonly column: Pick<NumberColumn, 'store' | 'restore' | 'byteLength'>;

  constructor(readonly field: CompiledField) {}

  store(output: IndexOutput): void {
    this.column.store(output);
  }

  restore(input: IndexInput): void {
    this.column.restore(input);
  }

  get byteLength(): number {
    return this.column.byteLength;
  }
}

/** A field of numbers, dates (milliseconds) or booleans (0 and 1). */
export class NumberField extends ColumnField {
  readonly kind = 'number';
  readonly column = new NumberColumn();

  seal(): void {
    this.column.seal();
  }

  has(slot: number): boolean {
    return !Number.isNaN(this.column.first(slot));
  }
}

/** A field of points. */
export class PointField extends ColumnField {
  readonly kind = 'point';
  readonly column = new PointColumn();

  seal(): void {
    // Points need no order.
  }

  has(slot: number): boolean {
    return this.column.has(slot);
  }
}

/** A field of shapes. */
export class ShapeField {
  readonly kind = 'shape';
  readonly shapes = new Map<number, Shape[]>();

  /** Created when a query first reads a shape. */
  private readonly geometries = new Map<number, Geometry>();

  constructor(readonly field: CompiledField) {}

  add(slot: number, shape: Shape): void {
    const known = this.shapes.get(slot);
    if (known === undefined) this.shapes.set(slot, [shape]);
    else known.push(shape);
  }

  /** The shapes of a document as one geometry; undefined if it has none. */
  geometry(slot: number): Geometry | undefined {
    const known = this.geometries.get(slot);
    if (known !== undefined) return known;
    const shapes = this.shapes.get(slot);
    if (shapes === undefined) return undefined;
    const geometry = new Geometry(shapes);
    this.geometries.set(slot, geometry);
    return geometry;
  }

  seal(): void {
    // Shapes need no order.
  }

  has(slot: number): boolean {
    return this.shapes.has(slot);
  }

  store(output: IndexOutput): void {
    output.strings(Array.from(this.shapes, (entry) => JSON.stringify(entry)));
  }

  restore(input: IndexInput): void {
    for (const text of input.strings()) {
      const [slot, shapes] = JSON.parse(text) as [number, Shape[]];
      this.shapes.set(slot, shapes);
    }
  }

  get byteLength(): number {
    return this.shapes.size * 500 + this.geometries.size * 500;
  }
}

/** The in-memory index of one field. Its `kind` depends on the field's type only. */
export type FieldIndex = NumberField | TermField | TextField | PointField | ShapeField;

/** An empty index for the field; undefined if its values are never searched. */
export function createFieldIndex(field: CompiledField): FieldIndex | undefined {
  switch (field.type) {
    case 'text':
      return new TextField(field);
    case 'keyword':
    case 'ip':
      return new TermField(field);
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'float':
    case 'double':
    case 'half_float':
    case 'scaled_float':
    case 'boolean':
    case 'date':
      return new NumberField(field);
    case 'geo_point':
      return new PointField(field);
    case 'geo_shape':
      return new ShapeField(field);
    case 'binary':
      return field.isStored ? new NumberField(field) : undefined;
  }
}
