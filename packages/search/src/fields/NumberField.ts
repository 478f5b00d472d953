import type { CompiledField } from '@millrace/query';
import { NumberColumn } from '../columns/NumberColumn.js';
import type { IndexInput } from '../index/IndexInput.js';
import type { IndexOutput } from '../index/IndexOutput.js';

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
