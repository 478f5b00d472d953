import type { CompiledField, CompiledObject, DocumentSink, Shape } from '@millrace/query';
import type { CollectionIndex } from './CollectionIndex.js';

/** Takes the values of one document after another into the index. */
export class DocumentIndexer implements DocumentSink {
  private slot = 0;
  /** Nested objects are documents of their own, which are not searched yet. */
  private depth = 0;

  constructor(private readonly index: CollectionIndex) {}

  /** The values that follow belong to this slot. */
  begin(slot: number): void {
    this.slot = slot;
    this.depth = 0;
  }

  text(field: CompiledField, value: string): void {
    const target = this.targetOf(field);
    if (target?.kind === 'text') target.add(this.slot, value);
  }

  keyword(field: CompiledField, value: string): void {
    const target = this.targetOf(field);
    if (target?.kind === 'term') target.column.add(this.slot, value);
  }

  ip(field: CompiledField, key: string): void {
    this.keyword(field, key);
  }

  number(field: CompiledField, value: number): void {
    const target = this.targetOf(field);
    if (target?.kind === 'number') target.column.add(this.slot, value);
  }

  boolean(field: CompiledField, value: boolean): void {
    this.number(field, value ? 1 : 0);
  }

  date(field: CompiledField, ms: number): void {
    this.number(field, ms);
  }

  point(field: CompiledField, lat: number, lon: number): void {
    const target = this.targetOf(field);
    if (target?.kind === 'point') target.column.add(this.slot, lat, lon);
  }

  shape(field: CompiledField, shape: Shape): void {
    const target = this.targetOf(field);
    if (target?.kind === 'shape') target.add(this.slot, shape);
  }

  beginNested(_object: CompiledObject): void {
    this.depth += 1;
  }

  endNested(_object: CompiledObject): void {
    this.depth -= 1;
  }

  private targetOf(field: CompiledField) {
    return this.depth > 0 ? undefined : this.index.fieldFor(field);
  }
}
