import type { Condition, Filter } from '../Filter.js';
import type { JsonScalar } from '../Json.js';
import { canonicalCondition } from './canonicalCondition.js';
import type { Literal } from './Literal.js';

/** A leaf of the normal form. */
export interface NormalLeaf {
  readonly condition: Condition;
  readonly isNegated: boolean;
}

interface Slot {
  readonly key: string;
  /** Of conditions other than value lists. */
  readonly condition: Condition | undefined;
  readonly field: string;
  /** Place among the slots. */
  number: number;
  /** In their order; of conditions other than value lists none. */
  values: JsonScalar[];
  /** Places of the values, where there are several. */
  numbers: Map<JsonScalar, number> | undefined;
}

const FIRST: readonly number[] = [0];

/**
 * Numbers for the slots and values of a filter, in the order of their canonical texts, so that whatever is decided by
 * order is decided alike for equal filters.
 */
export class LeafTable {
  private readonly lists = new Map<string, Slot>();
  private readonly conditions = new Map<string, Slot>();
  private readonly slotOf = new Map<Condition, Slot>();
  private slots: Slot[] = [];

  constructor(filter: Filter) {
    this.collect(filter);
    this.slots = [...this.lists.values(), ...this.conditions.values()];
    if (this.slots.length > 1) this.slots.sort((a, b) => (a.key < b.key ? -1 : 1));
    this.slots.forEach((slot, number) => {
      slot.number = number;
      const { numbers } = slot;
      if (numbers === undefined) return;
      slot.values = sortScalars([...numbers.keys()]);
      slot.values.forEach((value, i) => numbers.set(value, i));
    });
  }

  toLiteral(condition: Condition, isNegated: boolean): Literal {
    const slot = this.slotOf.get(condition);
    if (slot === undefined) throw new RangeError('condition of another filter');
    return { slot: slot.number, allows: !isNegated, values: numbersOf(condition, slot.numbers) };
  }

  /** The leaf that a literal stands for, and its canonical JSON. */
  render(literal: Literal): { readonly leaf: NormalLeaf; readonly key: string } {
    const slot = this.slots[literal.slot];
    if (slot === undefined) throw new RangeError('literal of another filter');
    const { field, condition: only, key: canonical } = slot;
    const isNegated = !literal.allows;
    const values = literal.values.flatMap((number) => slot.values[number] ?? []);
    const condition: Condition = only ?? { kind: 'in', field, values };
    const text = only === undefined ? canonicalCondition(condition) : canonical;
    return { leaf: { condition, isNegated }, key: isNegated ? `["not",${text}]` : text };
  }

  private collect(filter: Filter): void {
    switch (filter.kind) {
      case 'everything':
      case 'nothing':
        return;
      case 'and':
      case 'or':
        for (const operand of filter.operands) this.collect(operand);
        return;
      case 'not':
        this.collect(filter.operand);
        return;
      case 'in':
        return this.collectValues(filter);
      default:
        return this.collectCondition(filter);
    }
  }

  private collectValues(condition: Condition & { readonly kind: 'in' }): void {
    const { field, values } = condition;
    let slot = this.lists.get(field);
    if (slot === undefined) {
      slot = { key: JSON.stringify(['in', field]), condition: undefined, field, number: 0, values: [], numbers: undefined }; // prettier-ignore
      this.lists.set(field, slot);
    }
    for (const value of values) {
      if (slot.values.length === 0) slot.values.push(value);
      else if (slot.numbers !== undefined) slot.numbers.set(value, 0);
      else if (slot.values[0] !== value) {
        slot.numbers = new Map([...slot.values, value].map((each) => [each, 0]));
      }
    }
    this.slotOf.set(condition, slot);
  }

  private collectCondition(condition: Condition): void {
    const key = canonicalCondition(condition);
    let slot = this.conditions.get(key);
    if (slot === undefined) {
      slot = { key, condition, field: condition.field, number: 0, values: [], numbers: undefined };
      this.conditions.set(key, slot);
    }
    this.slotOf.set(condition, slot);
  }
}

/** The places of a list's values, ascending, each once. */
function numbersOf(
  condition: Condition,
  numbers: ReadonlyMap<JsonScalar, number> | undefined,
): readonly number[] {
  if (condition.kind !== 'in' || numbers === undefined) return FIRST;
  const places = condition.values.map((value) => numbers.get(value) ?? 0);
  return places.length < 2 ? places : [...new Set(places)].sort((a, b) => a - b);
}

/** Booleans, numbers, strings; each kind in its natural order. */
export function sortScalars(values: JsonScalar[]): JsonScalar[] {
  if (values.length < 2) return values;
  const numbers = values.filter((value) => typeof value === 'number');
  const texts = values.filter((value) => typeof value === 'string');
  return [
    ...[false, true].filter((value) => values.includes(value)),
    ...Float64Array.from(numbers).sort(),
    ...texts.sort(),
  ];
}
