import type { BoundQuery, CompiledField, NestedSort } from '@millrace/query';
import { NumberColumn } from '../columns/NumberColumn.js';
import { PointColumn } from '../columns/PointColumn.js';
import { TermColumn } from '../columns/TermColumn.js';
import { ancestorSlot, type NestedIndex } from '../index/NestedIndex.js';
import { matchQuery } from '../matchQuery.js';
import { nestedScope, type NestedScope } from '../nestedScope.js';
import { constantMatches } from '../queries/Matches.js';
import { advance, restrict } from '../queries/setOperations.js';
import type { SearchScope } from '../SearchScope.js';

/** The values of nested objects, as if they were values of their documents. */
export type NestedValues =
  | { readonly kind: 'number'; readonly column: NumberColumn }
  | { readonly kind: 'term'; readonly column: TermColumn }
  | { readonly kind: 'point'; readonly column: PointColumn };

/** Gathers the values of a field from the nested objects selected by `nested`. Undefined if there are none. */
export function nestedValues(
  field: CompiledField,
  nested: NestedSort<BoundQuery>,
  scope: SearchScope,
): NestedValues | undefined {
  const inside = nestedScope(scope, nested.path);
  if (inside === undefined) return undefined;
  const chosen = chosenObjects(nested, inside, undefined);
  if (chosen === undefined || !chosen.scope.index.shows(field)) return undefined;
  const { slots } = chosen;
  const { index } = chosen.scope;
  return gather(field, index, slots, (slot) => ancestorSlot(index, slot, scope.index));
}

interface Chosen {
  readonly scope: NestedScope;
  readonly slots: Int32Array;
}

function chosenObjects(
  { filter, nested }: NestedSort<BoundQuery>,
  scope: NestedScope,
  around: Chosen | undefined,
): Chosen | undefined {
  let slots = filtered(filter, scope);
  if (around !== undefined) {
    const { index } = scope;
    const parents = around.slots;
    let j = 0;
    slots = slots.filter((slot) => {
      const parent = ancestorSlot(index, slot, around.scope.index);
      j = advance(parents, j, parent);
      return j < parents.length && parents[j] === parent;
    });
  }
  const chosen = { scope, slots };
  if (nested === undefined) return chosen;
  const inside = nestedScope(scope, nested.path);
  return inside && chosenObjects(nested, inside, chosen);
}

function filtered(filter: BoundQuery | undefined, scope: NestedScope): Int32Array {
  const living = scope.index.living();
  if (filter === undefined) return living;
  return restrict(constantMatches(living, 0), matchQuery(filter, scope, false).slots).slots;
}

function gather(
  field: CompiledField,
  index: NestedIndex,
  slots: Int32Array,
  parentOf: (slot: number) => number,
): NestedValues | undefined {
  const values = index.indexOf(field);
  switch (values?.kind) {
    case 'number': {
      const column = new NumberColumn();
      for (const slot of slots) {
        const several = values.column.more.get(slot);
        const first = values.column.first(slot);
        if (several !== undefined) for (const one of several) column.add(parentOf(slot), one);
        else if (!Number.isNaN(first)) column.add(parentOf(slot), first);
      }
      column.seal();
      return { kind: 'number', column };
    }
    case 'term':
    case 'text': {
      if (values.column === undefined) return undefined;
      const column = new TermColumn(values.column.dictionary);
      for (const slot of slots) {
        const code = values.column.codeAt(slot);
        if (code >= 0) column.addCode(parentOf(slot), code);
        for (const one of values.column.more.get(slot) ?? []) column.addCode(parentOf(slot), one);
      }
      column.seal();
      return { kind: 'term', column };
    }
    case 'point': {
      const column = new PointColumn();
      for (const slot of slots) {
        values.column.pointsOf(slot, (lat, lon) => {
          column.add(parentOf(slot), lat, lon);
        });
      }
      return { kind: 'point', column };
    }
    case 'shape':
    case undefined:
      return undefined;
  }
}
