import type { TermField } from '../fields/TermField.js';
import type { TextField } from '../fields/TextField.js';
import { constantMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';
import { unite } from './setOperations.js';

/** Documents with at least one of several terms, with a constant score. */
export class CodesNode implements QueryNode {
  private readonly dictionarySize: number = 0;
  readonly test: ((slot: number) => boolean) | undefined;

  constructor(
    private readonly field: TermField | TextField,
    private readonly codes: ArrayLike<number>,
    readonly constantScore: number,
    private readonly slotCount: number,
  ) {
    // The columns of text fields use different codes.
    if (field.kind === 'text') return;
    const { column } = field;
    this.dictionarySize = column.dictionary.size;
    let isWanted: Uint8Array | undefined;
    this.test = (slot) => column.hasAny(slot, (isWanted ??= this.maskOfCodes()));
  }

  estimate(): number {
    const { postings } = this.field;
    let sum = 0;
    for (let i = 0; i < this.codes.length; i += 1) sum += postings.count(this.codes[i] as number);
    return Math.min(sum, this.slotCount);
  }

  match(): Matches {
    const { postings } = this.field;
    const lists: Matches[] = [];
    for (let i = 0; i < this.codes.length; i += 1) {
      lists.push(constantMatches(postings.list(this.codes[i] as number).slots, 0));
    }
    return constantMatches(unite(lists, this.slotCount, 1, false).slots, this.constantScore);
  }

  private maskOfCodes(): Uint8Array {
    const mask = new Uint8Array(this.dictionarySize);
    for (let i = 0; i < this.codes.length; i += 1) mask[this.codes[i] as number] = 1;
    return mask;
  }
}
