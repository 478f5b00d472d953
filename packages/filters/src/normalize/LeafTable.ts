import type { Condition, Filter } from '../Filter.js';
import type { JsonScalar } from '../Json.js';
import { canonicalCondition } from './canonicalCondition.js';
import { sortedNumbers, type Literal } from './Literal.js';
import type { Pace } from '../Pace.js';
import type { Steps } from '../Steps.js';

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

type Leaf = Exclude<Filter, { readonly kind: 'and' | 'or' | 'not' }>;

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

  constructor(private readonly pace: Pace) {}

  /** Gives out the numbers, once all conditions are there. */
  number(): void {
    for (const slot of this.lists.values()) this.conditions.set(slot.key, slot);
    // Sorted as texts, which needs no function that compares.
    const keys = [...this.conditions.keys()].sort();
    this.slots = keys.map((key) => this.conditions.get(key) as Slot);
    for (let i = 0; i < this.slots.length; i++) {
      const slot = this.slots[i] as Slot;
      slot.number = i;
      if (slot.numbers !== undefined) numberValues(slot, slot.numbers);
    }
  }

  toLiteral(condition: Condition, isNegated: boolean): Literal {
    const slot = this.slotOf.get(condition);
    if (slot === undefined) throw new RangeError('condition of another filter');
    return { slot: slot.number, allows: !isNegated, values: numbersOf(condition, slot.numbers) };
  }

  /** The canonical JSON of the leaf that a literal stands for (`canonicalCondition`). */
  keyOf(literal: Literal): string {
    const slot = this.slotAt(literal);
    const key = slot.condition === undefined ? listKey(slot, literal.values) : slot.key;
    return literal.allows ? key : `["not",${key}]`;
  }

  /** The leaf that a literal stands for. */
  leafOf(literal: Literal): NormalLeaf {
    return { condition: this.conditionOf(literal), isNegated: !literal.allows };
  }

  private conditionOf(literal: Literal): Condition {
    const { field, condition, values } = this.slotAt(literal);
    if (condition !== undefined) return condition;
    return { kind: 'in', field, values: literal.values.map((number) => values[number] as JsonScalar) }; // prettier-ignore
  }

  private slotAt({ slot }: Literal): Slot {
    const found = this.slots[slot];
    if (found === undefined) throw new RangeError('literal of another filter');
    return found;
  }

  /** Takes in the conditions of filters. */
  *collect(filters: readonly Filter[]): Steps<void> {
    for (let i = 0; i < filters.length; i++) {
      let filter = filters[i] as Filter;
      while (filter.kind === 'not') filter = filter.operand;
      switch (filter.kind) {
        case 'and':
        case 'or':
          yield* this.collect(filter.operands);
          break;
        default:
          if (this.pace.isDue(this.collectLeaf(filter))) yield;
      }
    }
  }

  /** @returns roughly what it has cost, in units of work */
  private collectLeaf(filter: Leaf): number {
    switch (filter.kind) {
      case 'everything':
      case 'nothing':
        return 1;
      case 'in':
        this.collectValues(filter);
        return 2 + filter.values.length;
      case 'geoPolygon':
        this.collectCondition(filter);
        return 4 * filter.points.length;
      default:
        this.collectCondition(filter);
        return 12;
    }
  }

  private collectValues(condition: Condition & { readonly kind: 'in' }): void {
    const { field, values } = condition;
    let slot = this.lists.get(field);
    if (slot === undefined) {
      // Sorts as the whole text of a list does.
      const key = `["in",${JSON.stringify(field)}]`;
      slot = { key, condition: undefined, field, number: 0, values: [], numbers: undefined };
      this.lists.set(field, slot);
    }
    this.slotOf.set(condition, slot);
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as JsonScalar;
      if (slot.numbers !== undefined) slot.numbers.set(value, 0);
      else if (slot.values.length === 0) slot.values.push(value);
      else if (slot.values[0] !== value) {
        slot.numbers = new Map([
          [slot.values[0] as JsonScalar, 0],
          [value, 0],
        ]);
      }
    }
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

function listKey({ field, values }: Slot, numbers: readonly number[]): string {
  const [only] = numbers;
  if (numbers.length > 1) {
    const listed = numbers.length === values.length ? values : numbers.map((number) => values[number]); // prettier-ignore
    return `["in",${JSON.stringify(field)},${JSON.stringify(listed)}]`;
  }
  return `["equals",${JSON.stringify(field)},${JSON.stringify(values[only ?? 0])}]`;
}

function numberValues(slot: Slot, numbers: Map<JsonScalar, number>): void {
  const values = sortScalars([...numbers.keys()]);
  slot.values = values;
  for (let i = 0; i < values.length; i++) numbers.set(values[i] as JsonScalar, i);
}

/** The places of a list's values, ascending, each once. */
function numbersOf(
  condition: Condition,
  numbers: ReadonlyMap<JsonScalar, number> | undefined,
): readonly number[] {
  if (condition.kind !== 'in' || numbers === undefined) return FIRST;
  const { values } = condition;
  const places: number[] = [];
  for (let i = 0; i < values.length; i++) places.push(numbers.get(values[i] as JsonScalar) ?? 0);
  return sortedNumbers(places);
}

/** Booleans, numbers, strings; each kind in its natural order. */
export function sortScalars(values: JsonScalar[]): JsonScalar[] {
  if (values.length < 2) return values;
  const numbers = values.filter((value) => typeof value === 'number');
  const texts = values.filter((value) => typeof value === 'string');
  const truths = values.length - numbers.length - texts.length;
  return [
    ...(truths === 0 ? [] : [false, true].filter((value) => values.includes(value))),
    ...Float64Array.from(numbers).sort(),
    ...texts.sort(),
  ];
}
