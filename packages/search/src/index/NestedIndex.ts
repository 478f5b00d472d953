import type { CompiledField, CompiledMapping } from '@millrace/query';
import { growInt32 } from '../columns/grow.js';
import type { IndexInput } from '../stored/IndexInput.js';
import type { IndexOutput } from '../stored/IndexOutput.js';
import { CollectionIndex } from './CollectionIndex.js';

/*
 * The objects of one nested field, each with a separate slot, as if they were documents: queries, aggregations and
 * sorting treat them as documents. Slots are assigned in the order of the enclosing objects, so `parents` is ascending,
 * the objects inside one slot are a range, and ascending slots have ascending parents.
 */
export class NestedIndex extends CollectionIndex {
  private parents: Int32Array = new Int32Array(0);

  constructor(
    mapping: CompiledMapping,
    mappingVersion: number,
    override readonly nestedPath: string,
    /** The index of the enclosing documents or objects. */
    readonly parent: CollectionIndex,
  ) {
    super(mapping, mappingVersion);
  }

  /** @param rowNumber the row of the whole document @returns the slot of a new object */
  addObject(rowNumber: number, parentSlot: number): number {
    const slot = this.addSlot(rowNumber, '');
    this.parents = growInt32(this.parents, slot + 1);
    this.parents[slot] = parentSlot;
    return slot;
  }

  parentOf(slot: number): number {
    return this.parents[slot] as number;
  }

  /** The slots of the objects inside a slot of the parent. */
  childrenOf(parentSlot: number): readonly [from: number, to: number] {
    return [this.firstFrom(parentSlot), this.firstFrom(parentSlot + 1)];
  }

  override store(output: IndexOutput): void {
    super.store(output);
    output.array(this.parents, this.slotCount);
  }

  override restore(input: IndexInput, createNested: (path: string, parent: CollectionIndex) => NestedIndex): void {
    super.restore(input, createNested);
    this.parents = input.int32();
  }

  override get byteLength(): number {
    return super.byteLength + this.parents.byteLength;
  }

  private firstFrom(parentSlot: number): number {
    let low = 0;
    let high = this.slotCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.parents[middle] as number) < parentSlot) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The index of a nested field, at any depth below; undefined if no document has such an object. */
export function findNested(index: CollectionIndex, path: string): NestedIndex | undefined {
  const own = index.nested.get(path);
  if (own !== undefined) return own;
  for (const [name, nested] of index.nested) {
    if (path.startsWith(`${name}.`)) return findNested(nested, path);
  }
  return undefined;
}

/** The index that contains a field's values: this one if it shows them, else that of their nested field. */
export function indexShowing(index: CollectionIndex, field: CompiledField): CollectionIndex | undefined {
  if (index.shows(field)) return index;
  const root = rootIndex(index);
  return field.nestedPath === undefined ? root : findNested(root, field.nestedPath);
}

/** The index of the root documents that contain the slots of an index, at any depth. */
export function rootIndex(index: CollectionIndex): CollectionIndex {
  let at = index;
  while (at instanceof NestedIndex) at = at.parent;
  return at;
}

/** The slot of `ancestor` that contains an object. @param ancestor above `index` */
export function ancestorSlot(index: NestedIndex, slot: number, ancestor: CollectionIndex): number {
  let at: CollectionIndex = index;
  let found = slot;
  while (at !== ancestor && at instanceof NestedIndex) {
    found = at.parentOf(found);
    at = at.parent;
  }
  return found;
}

/** The slots inside a slot of `ancestor`, which may be several levels above. */
export function descendants(
  index: NestedIndex,
  ancestor: CollectionIndex,
  slot: number,
): readonly [from: number, to: number] {
  if (index.parent === ancestor) return index.childrenOf(slot);
  const [from, to] = descendants(index.parent as NestedIndex, ancestor, slot);
  return [index.childrenOf(from)[0], index.childrenOf(to)[0]];
}
