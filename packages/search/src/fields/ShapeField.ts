import type { CompiledField, Shape } from '@millrace/query';
import { Geometry } from '../geo/Geometry.js';
import type { IndexInput } from '../index/IndexInput.js';
import type { IndexOutput } from '../index/IndexOutput.js';

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
