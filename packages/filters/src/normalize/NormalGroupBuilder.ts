import type { JsonScalar } from '@millrace/language';
import type { NormalForm, NormalGroup, NormalLeaf } from './NormalForm.js';
import { toListLeaf } from './toNormalLeaf.js';

/** Collects the operands of one conjunction or disjunction in normal form. */
export class NormalGroupBuilder {
  /** Merged value lists by field: `in` of a disjunction, negated `in` of a conjunction. */
  private readonly lists = new Map<string, Set<JsonScalar>>();
  /** All other operands by key. */
  private readonly others = new Map<string, NormalForm>();
  private isDecided = false;
  /** The only operand so far, if it is a form: a group with one operand is that operand. */
  private sole: NormalForm | undefined;

  constructor(readonly kind: 'and' | 'or') {}

  /** True if a list of this polarity is merged with the others of its field. */
  unites(isNegated: boolean): boolean {
    return isNegated === (this.kind === 'and');
  }

  /** Adds a list for which `unites` is true. */
  addValues(field: string, values: readonly JsonScalar[]): void {
    this.keepSole();
    let list = this.lists.get(field);
    if (list === undefined) this.lists.set(field, (list = new Set()));
    for (let i = 0; i < values.length; i++) list.add(values[i] as JsonScalar);
  }

  add(form: NormalForm): void {
    if (this.isDecided || (form.kind === this.kind && form.parts.length === 0)) return;
    if (this.sole === undefined && this.lists.size === 0 && this.others.size === 0) {
      this.sole = form;
      return;
    }
    this.keepSole();
    this.keep(form);
  }

  build(): NormalForm {
    if (this.sole !== undefined) return this.sole;
    if (this.isDecided || this.hasComplements()) {
      return toGroup(this.kind === 'and' ? 'or' : 'and', []);
    }
    const parts = [...this.others.values()];
    for (const [field, values] of this.lists) {
      parts.push(toListLeaf(field, values, this.kind === 'and'));
    }
    const [only] = parts;
    if (only !== undefined && parts.length === 1) return only;
    return toGroup(this.kind, parts.sort(byKey));
  }

  private keepSole(): void {
    const { sole } = this;
    this.sole = undefined;
    if (sole !== undefined) this.keep(sole);
  }

  private keep(form: NormalForm): void {
    if (form.kind === 'leaf') this.keepLeaf(form);
    else if (form.kind === this.kind) for (const part of form.parts) this.keep(part);
    else if (form.parts.length === 0) this.isDecided = true;
    else this.others.set(form.key, form);
  }

  private keepLeaf(leaf: NormalLeaf): void {
    const { condition, isNegated, key } = leaf;
    if (condition.kind === 'in' && this.unites(isNegated)) {
      this.addValues(condition.field, condition.values);
    } else this.others.set(key, leaf);
  }

  /** True if a group contains an operand and its negation, so the whole group is constant. */
  private hasComplements(): boolean {
    for (const form of this.others.values()) {
      const parts = form.kind === 'leaf' ? [form] : form.parts;
      if (parts.every((part) => part.kind === 'leaf' && this.hasComplementOf(part))) return true;
    }
    return false;
  }

  private hasComplementOf({ condition, isNegated, key }: NormalLeaf): boolean {
    if (condition.kind === 'in' && this.unites(!isNegated)) {
      const list = this.lists.get(condition.field);
      return list !== undefined && condition.values.every((value) => list.has(value));
    }
    return this.others.has(isNegated ? key.slice('["not",'.length, -1) : `["not",${key}]`);
  }
}

function toGroup(kind: 'and' | 'or', parts: readonly NormalForm[]): NormalGroup {
  let key = `["${kind}"`;
  let conditionCount = 0;
  for (const part of parts) {
    key += `,${part.key}`;
    conditionCount += part.conditionCount;
  }
  return { kind, parts, key: `${key}]`, conditionCount };
}

function byKey(a: NormalForm, b: NormalForm): number {
  return a.key < b.key ? -1 : 1;
}
