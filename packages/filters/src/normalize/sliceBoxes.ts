/*
 * Cuts a union of boxes into boxes in one way only: values of the first slot behind which the same points of the other
 * slots lie go together, and those points are cut in the same way. Values that no box names are alike, so they are
 * treated as one.
 */
import type { Literal } from './Literal.js';
import type { WorkBudget } from './WorkBudget.js';
import type { Steps } from '../Steps.js';

/** A literal per slot; undefined for the whole slot. */
type Box = readonly (Literal | undefined)[];

/** Stands for all values that no box names. */
const OTHER = -1;
/** Below this many boxes, the number of each fits into a character. */
const MAX_SHORT = 10_000;

/**
 * @param slots of all boxes, ascending
 * @param boxes whose points are wanted
 * @param taken whose points are left out
 * @returns boxes without the slots that they fill
 */
export function sliceBoxes(
  slots: readonly number[],
  boxes: readonly Box[],
  taken: readonly Box[],
  budget: WorkBudget,
): Steps<readonly (readonly Literal[])[]> {
  return new Slicer(slots, budget).slice(0, boxes, taken);
}

class Slicer {
  constructor(
    private readonly slots: readonly number[],
    private readonly budget: WorkBudget,
  ) {}

  *slice(
    at: number,
    boxes: readonly Box[],
    taken: readonly Box[],
  ): Steps<readonly (readonly Literal[])[]> {
    const [first] = boxes;
    if (first === undefined) return [];
    const slot = this.slots[at];
    if (slot === undefined) return taken.length === 0 ? [[]] : [];
    if (boxes.length === 1 && taken.length === 0) {
      return [first.slice(at).filter((literal) => literal !== undefined)];
    }
    // Values behind which the same boxes lie, and then those behind which the same points lie.
    const alike = new Map<string, { values: number[]; rest: readonly (readonly Literal[])[] }>();
    const slices = new Map<string, { key: string; rest: readonly (readonly Literal[])[] }>();
    const inBoxes = this.membersOf(at, boxes);
    const inTaken = this.membersOf(at, taken);
    const isShort = boxes.length + taken.length < MAX_SHORT;
    const named = this.namedValues(inBoxes, inTaken);
    for (let i = 0; i <= named.length; i++) {
      const value = named[i] ?? OTHER;
      const members = inBoxes.behind(value);
      if (members.length === 0) continue;
      const without = inTaken.behind(value);
      this.budget.spend(4 + members.length + without.length);
      const signature = isShort ? shortSignature(members, without) : `${members.join()};${without.join()}`; // prettier-ignore
      let known = slices.get(signature);
      if (known === undefined) {
        const rest = yield* this.slice(at + 1, pick(boxes, members), pick(taken, without));
        known = { key: this.keyOf(rest), rest };
        slices.set(signature, known);
      }
      if (this.budget.isDue()) yield;
      if (known.rest.length === 0) continue;
      const group = alike.get(known.key);
      if (group === undefined) alike.set(known.key, { values: [value], rest: known.rest });
      else group.values.push(value);
    }
    return [...alike.values()].flatMap(({ values, rest }) => {
      const literal = toLiteral(slot, values, inBoxes, inTaken);
      return rest.map((box) => (literal === undefined ? box : [literal, ...box]));
    });
  }

  private membersOf(at: number, boxes: readonly Box[]): Members {
    const members = new Members();
    boxes.forEach((box, number) => {
      const literal = box[at];
      this.budget.spend(2 + (literal?.values.length ?? 0));
      members.add(literal, number);
    });
    return members;
  }

  /** All values that some box names, ascending. */
  private namedValues(boxes: Members, taken: Members): Int32Array {
    let named: Iterable<number> = boxes.named.keys();
    if (taken.named.size > 0) named = new Set([...boxes.named.keys(), ...taken.named.keys()]);
    // Typed arrays are sorted without a function that compares.
    const values = Int32Array.from(named).sort();
    this.budget.spend(values.length);
    return values;
  }

  private keyOf(boxes: readonly (readonly Literal[])[]): string {
    const texts = boxes.map((box) => {
      let text = '';
      for (const { slot, allows, values } of box) {
        this.budget.spend(1 + (values.length >> 2));
        text += `${slot}${allows ? '+' : '-'}${values.join()};`;
      }
      return text;
    });
    return texts.sort().join('|');
  }
}

/** Boxes by their numbers, a character each. */
function shortSignature(members: readonly number[], without: readonly number[]): string {
  const text = String.fromCharCode(...members);
  return without.length === 0 ? text : `${text}\uffff${String.fromCharCode(...without)}`;
}

/** Which boxes contain which values of one slot. */
class Members {
  /** Boxes that allow a value; an empty list where a value is excluded only. */
  readonly named = new Map<number, number[]>();
  /** Boxes of all values but some. */
  private readonly broad: { readonly number: number; readonly excluded: ReadonlySet<number> }[] =
    [];

  add(literal: Literal | undefined, number: number): void {
    const { allows, values } = literal ?? { allows: false, values: [] };
    for (const value of values) {
      const members = this.named.get(value);
      if (members === undefined) this.named.set(value, allows ? [number] : []);
      else if (allows) members.push(number);
    }
    if (!allows) this.broad.push({ number, excluded: new Set(values) });
  }

  behind(value: number): readonly number[] {
    const members = this.named.get(value) ?? [];
    if (this.broad.length === 0) return members;
    const broad = this.broad.filter(({ excluded }) => !excluded.has(value));
    return [...members, ...broad.map(({ number }) => number)];
  }
}

function pick(boxes: readonly Box[], numbers: readonly number[]): readonly Box[] {
  return numbers.map((number) => boxes[number] as Box);
}

/** @returns undefined where the values fill the slot */
function toLiteral(
  slot: number,
  values: readonly number[],
  boxes: Members,
  taken: Members,
): Literal | undefined {
  if (values[values.length - 1] !== OTHER) return { slot, allows: true, values };
  const included = new Set(values);
  const excluded = new Set<number>();
  for (const { named } of [boxes, taken]) {
    for (const value of named.keys()) if (!included.has(value)) excluded.add(value);
  }
  if (excluded.size === 0) return undefined;
  return { slot, allows: false, values: Array.from(Int32Array.from(excluded).sort()) };
}
