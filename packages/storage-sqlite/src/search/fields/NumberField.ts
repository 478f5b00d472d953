import type { CompiledField } from '@millrace/query';
import { NumberColumn } from '../columns/NumberColumn.js';

/** A field of numbers, dates (milliseconds) or booleans (0 and 1). */
export class NumberField {
  readonly kind = 'number';
  readonly column = new NumberColumn();

  constructor(readonly field: CompiledField) {}

  seal(): void {
    this.column.seal();
  }

  has(slot: number): boolean {
    return !Number.isNaN(this.column.first(slot));
  }

  get byteLength(): number {
    return this.column.byteLength;
  }
}
