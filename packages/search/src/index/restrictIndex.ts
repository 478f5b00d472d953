/*
 * An index as it would be if the documents outside a view had been deleted and forgotten: they are dead, and the
 * statistics that scores are computed from leave them out. So an answer never depends on documents that the caller may
 * not see. Nothing is copied but the bitmap of dead slots; everything else is read through the prototype.
 */
import type { CollectionIndex } from './CollectionIndex.js';
import type { NestedIndex } from './NestedIndex.js';
import type { FieldIndex } from '../fields/FieldIndex.js';
import { restrictField, type VisiblePart } from './restrictField.js';

/** Views, to tell them from complete indexes. */
const views = new WeakSet<CollectionIndex>();

/** Whether the index is a view of another one. */
export function isRestricted(index: CollectionIndex): boolean {
  return views.has(index);
}

/**
 * @param visible the living slots of the view, ascending
 * @param onGrown receives the bytes of what the view keeps, as it grows
 */
export function restrictIndex(
  index: CollectionIndex,
  visible: Int32Array,
  onGrown: (bytes: number) => void = () => undefined,
): CollectionIndex {
  const dead = new Uint8Array(index.slotCount).fill(1);
  for (const slot of visible) dead[slot] = 0;
  return viewOf(index, { dead, visible, onGrown });
}

function viewOf<T extends CollectionIndex>(index: T, part: VisiblePart): T {
  const { dead, visible, onGrown } = part;
  onGrown(dead.byteLength + visible.byteLength);
  const fields = new Map<FieldIndex, FieldIndex>();
  let nested: ReadonlyMap<string, NestedIndex> | undefined;
  const view = Object.create(index, {
    dead: { value: dead },
    deadCount: { value: index.slotCount - visible.length },
    livingSlots: { value: visible },
    indexOf: {
      value: (...asked: Parameters<CollectionIndex['indexOf']>) => {
        const field = index.indexOf(...asked);
        if (field === undefined) return undefined;
        const known = fields.get(field) ?? restrictField(field, part);
        fields.set(field, known);
        return known;
      },
    },
    nested: { get: () => (nested ??= nestedViews(index, view, onGrown)) },
  }) as T;
  views.add(view);
  return view;
}

function nestedViews(
  index: CollectionIndex,
  parent: CollectionIndex,
  onGrown: VisiblePart['onGrown'],
): ReadonlyMap<string, NestedIndex> {
  return new Map(
    [...index.nested].map(([path, nested]) => {
      const dead = new Uint8Array(nested.slotCount);
      const visible: number[] = [];
      for (let slot = 0; slot < nested.slotCount; slot += 1) {
        if (parent.dead[nested.parentOf(slot)] === 1) dead[slot] = 1;
        else visible.push(slot);
      }
      const view = viewOf(nested, { dead, visible: Int32Array.from(visible), onGrown });
      Object.defineProperty(view, 'parent', { value: parent });
      return [path, view];
    }),
  );
}
