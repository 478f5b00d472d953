import type { CompiledField } from '@millrace/query';
import { PointColumn } from '../columns/PointColumn.js';

/** A field of points. */
export class PointField {
  readonly kind = 'point';
  readonly column = new PointColumn();

  constructor(readonly field: CompiledField) {}

  seal(): void {
    // Points need no order.
  }

  has(slot: number): boolean {
    return this.column.has(slot);
  }

  get byteLength(): number {
    return this.column.byteLength;
  }
}
