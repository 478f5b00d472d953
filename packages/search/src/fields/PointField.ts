import type { CompiledField } from '@millrace/query';
import { PointColumn } from '../columns/PointColumn.js';
import type { IndexInput } from '../index/IndexInput.js';
import type { IndexOutput } from '../index/IndexOutput.js';

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
