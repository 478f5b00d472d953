import type { CompiledField, Shape } from '@millrace/query';

/** A field of shapes. */
export class ShapeField {
  readonly kind = 'shape';
  readonly shapes = new Map<number, Shape[]>();

  constructor(readonly field: CompiledField) {}

  add(slot: number, shape: Shape): void {
    const known = this.shapes.get(slot);
    if (known === undefined) this.shapes.set(slot, [shape]);
    else known.push(shape);
  }

  seal(): void {
    // Shapes need no order.
  }

  has(slot: number): boolean {
    return this.shapes.has(slot);
  }

  get byteLength(): number {
    return this.shapes.size * 500;
  }
}
