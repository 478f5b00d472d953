import { isShownAt, type CompiledField, type CompiledMapping } from '@millrace/query';
import { growFloat64, growUint8 } from '../columns/grow.js';
import { createFieldIndex, type FieldIndex } from '../fields/FieldIndex.js';
import { UnusableIndex, type IndexInput } from '../stored/IndexInput.js';
import type { IndexOutput } from '../stored/IndexOutput.js';
import { KeptViews } from './KeptViews.js';
import type { NestedIndex } from './NestedIndex.js';

/*
 * The search index of one collection, in memory. It is derived data: built from the documents in SQLite when a search
 * first needs it, then updated with later writes (see IndexLoader).
 *
 * A document has a slot: its number in indexing order, which is the order of row numbers. All other data is keyed by
 * slot: a column or postings per field (see columns/). An update marks the old slot as dead and adds a new one. Dead
 * slots stay in the structures and are removed from every result; the index is rebuilt when more than half of all slots
 * are dead.
 *
 * The objects of a nested field have a separate index, with a slot per object (see NestedIndex).
 */
export class CollectionIndex {
  /** How many slots there are. */
  slotCount = 0;
  deadCount = 0;
  /** By slot: 1 if the document is dead. */
  dead: Uint8Array = new Uint8Array(0);
  /** By slot, ascending: the document's row. */
  private rowNumbers: Float64Array = new Float64Array(0);
  /** By slot: the document's id; undefined until a search sorts by it. */
  ids: string[] | undefined;
  /** Tombstones up to this one have been read. */
  lastTombstone = 0;

  /** Indexes of the directly nested objects, by full path. */
  readonly nested = new Map<string, NestedIndex>();
  /** The nested field whose objects have the slots; undefined: the slots are documents. */
  readonly nestedPath: string | undefined = undefined;

  private readonly fields: (FieldIndex | undefined)[] = [];
  private livingSlots: Int32Array | undefined;
  private keptViews: KeptViews | undefined;

  constructor(
    public mapping: CompiledMapping,
    public mappingVersion: number,
  ) {}

  /** Applies a mapping with additional fields. */
  setMapping(mapping: CompiledMapping, version: number): void {
    this.mapping = mapping;
    this.mappingVersion = version;
    this.keptViews = undefined;
    for (const nested of this.nested.values()) nested.setMapping(mapping, version);
  }

  /** Whether values of the field are searched in this index. */
  shows(field: CompiledField): boolean {
    return isShownAt(this.mapping, field, this.nestedPath);
  }

  /** @returns the slot of a new document */
  addSlot(rowNumber: number, id: string): number {
    const slot = this.slotCount;
    this.slotCount += 1;
    this.rowNumbers = growFloat64(this.rowNumbers, this.slotCount);
    this.rowNumbers[slot] = rowNumber;
    this.dead = growUint8(this.dead, this.slotCount);
    this.ids?.push(id);
    this.livingSlots = undefined;
    this.keptViews = undefined;
    return slot;
  }

  /** Marks the document of a row as dead; does nothing for a row that was never indexed. */
  kill(rowNumber: number): void {
    const slot = this.slotOf(rowNumber);
    if (slot !== -1) this.killSlot(slot);
  }

  /** Marks a slot and the nested objects in it as dead. */
  killSlot(slot: number): void {
    if (this.dead[slot] === 1) return;
    this.dead[slot] = 1;
    this.deadCount += 1;
    this.livingSlots = undefined;
    this.keptViews = undefined;
    for (const nested of this.nested.values()) {
      const [from, to] = nested.childrenOf(slot);
      for (let child = from; child < to; child += 1) nested.killSlot(child);
    }
  }

  /** Views of parts of the documents, dropped when the index changes. */
  get views(): KeptViews {
    return (this.keptViews ??= new KeptViews(this));
  }

  get livingCount(): number {
    return this.slotCount - this.deadCount;
  }

  /** The highest indexed row, 0 for none. */
  get highestRowNumber(): number {
    return this.slotCount === 0 ? 0 : (this.rowNumbers[this.slotCount - 1] as number);
  }

  rowOf(slot: number): number {
    return this.rowNumbers[slot] as number;
  }

  /** The slot of a row, or -1. */
  slotOf(rowNumber: number): number {
    let low = 0;
    let high = this.slotCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.rowNumbers[middle] as number) < rowNumber) low = middle + 1;
      else high = middle;
    }
    return low < this.slotCount && this.rowNumbers[low] === rowNumber ? low : -1;
  }

  /** Every living slot, ascending. */
  living(): Int32Array {
    if (this.livingSlots !== undefined) return this.livingSlots;
    const slots = new Int32Array(this.livingCount);
    let count = 0;
    for (let slot = 0; slot < this.slotCount; slot += 1) {
      if (this.dead[slot] === 0) slots[count++] = slot;
    }
    this.livingSlots = slots;
    return slots;
  }

  /** The index of a field while a document is added; undefined if its values are never searched. */
  fieldFor(field: CompiledField): FieldIndex | undefined {
    const known = this.fields[field.ordinal];
    if (known !== undefined) return known;
    const created = createFieldIndex(field);
    this.fields[field.ordinal] = created;
    return created;
  }

  /** The index of a field; undefined if no document has it. */
  indexOf(field: CompiledField): FieldIndex | undefined {
    return this.fields[field.ordinal];
  }

  /** Must be called after documents are added, before reads. */
  seal(): void {
    for (const field of this.fields) field?.seal();
    for (const nested of this.nested.values()) nested.seal();
  }

  /**
   * Packs some postings of one field into reading order, in about a millisecond: worth its cost after many additions.
   * @returns true if nothing is left to be packed
   */
  packNext(): boolean {
    for (const field of this.fields) {
      if (field?.kind === 'text' && !field.postings.packNext()) return false;
      if (field?.kind === 'term' && !field.packNext()) return false;
    }
    for (const nested of this.nested.values()) if (!nested.packNext()) return false;
    return true;
  }

  /** Writes everything except the mapping and derivable data. Must be called after `seal`. */
  store(output: IndexOutput): void {
    const { slotCount, deadCount, lastTombstone } = this;
    const fields = this.fields.filter((field) => field !== undefined);
    output.json({ slotCount, deadCount, lastTombstone });
    output.json(fields.map(({ field }) => field.name));
    output.json([...this.nested.keys()]);
    output.array(this.rowNumbers, slotCount);
    // Documents are marked as dead in place.
    output.array(this.dead.slice(0, slotCount), slotCount);
    for (const field of fields) field.store(output);
    for (const nested of this.nested.values()) nested.store(output);
  }

  /**
   * The inverse of `store`, for an empty index of the same mapping.
   * @param createNested creates the empty index of a nested field of this one
   */
  restore(input: IndexInput, createNested: (path: string, parent: CollectionIndex) => NestedIndex): void {
    const head = input.numbers('slotCount', 'deadCount', 'lastTombstone');
    const names = input.json() as readonly string[];
    const paths = input.json() as readonly string[];
    this.slotCount = head.slotCount;
    this.deadCount = head.deadCount;
    this.lastTombstone = head.lastTombstone;
    this.rowNumbers = input.float64();
    this.dead = input.uint8();
    if (this.rowNumbers.length !== this.slotCount || this.dead.length !== this.slotCount) {
      throw new UnusableIndex('rows are missing');
    }
    for (const name of names) {
      const field = this.mapping.fields.get(name);
      const index = field && this.fieldFor(field);
      if (index === undefined) throw new UnusableIndex(`the mapping has no field "${name}"`);
      index.restore(input);
    }
    for (const path of paths) {
      const nested = createNested(path, this);
      nested.restore(input, createNested);
      this.nested.set(path, nested);
    }
  }

  get byteLength(): number {
    let sum = this.rowNumbers.byteLength + this.dead.byteLength + (this.livingSlots?.byteLength ?? 0);
    sum += this.keptViews?.byteLength ?? 0;
    for (const field of this.fields) sum += field?.byteLength ?? 0;
    for (const nested of this.nested.values()) sum += nested.byteLength;
    return sum + (this.ids?.length ?? 0) * 40;
  }
}
