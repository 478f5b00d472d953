import type { Deadline } from '../Deadline.js';
import type { TextField } from '../fields/TextField.js';
import { SAME_POSITION, type TokenStream } from '../fields/TokenStream.js';
import { lengthFactors, lengthFactor, termWeight } from './bm25.js';
import { constantMatches, type Matches } from './Matches.js';
import { exactFrequency, sloppyFrequency, type PhrasePart } from './phraseFrequency.js';
import type { QueryNode } from './QueryNode.js';
import { restrict, unite } from './setOperations.js';

/** A position in a phrase, and the terms allowed there. */
export interface PhrasePlace {
  readonly offset: number;
  readonly codes: readonly number[];
}

/** Documents that contain terms in sequence: candidates by postings, then a check of their tokens. */
export class PhraseNode implements QueryNode {
  private readonly groupOfCode = new Map<number, number[]>();
  private readonly groups: number[];
  /** The terms of a phrase that has one term per position, with no gap and no slop. */
  private readonly run: Int32Array | undefined;

  constructor(
    private readonly text: TextField,
    private readonly stream: TokenStream,
    private readonly places: readonly PhrasePlace[],
    private readonly options: {
      readonly slop: number;
      readonly boost: number;
      readonly slotCount: number;
      readonly deadline: Deadline;
    },
  ) {
    const base = places[0]?.offset ?? 0;
    const isRun = !text.stacks && places.every(({ offset, codes }, i) => codes.length === 1 && offset - base === i);
    this.run = isRun && options.slop === 0 ? Int32Array.from(places, ({ codes }) => codes[0] as number) : undefined;
    this.groups = groupsOf(places);
    places.forEach(({ codes }, i) => {
      for (const code of codes) {
        const known = this.groupOfCode.get(code);
        if (known === undefined) this.groupOfCode.set(code, [i]);
        else known.push(i);
      }
    });
  }

  estimate(): number {
    return this.places.reduce((least, { codes }) => Math.min(least, this.countOf(codes)), this.options.slotCount);
  }

  match(isScored: boolean): Matches {
    const candidates = this.candidates();
    const slots = new Int32Array(candidates.length);
    const scores = isScored ? new Float64Array(candidates.length) : undefined;
    const score = this.scorer();
    let count = 0;
    for (let i = 0; i < candidates.length; i += 1) {
      if ((i & 1023) === 1023) this.options.deadline.check();
      const slot = candidates[i] as number;
      const frequency = this.frequencyIn(slot);
      if (frequency === 0) continue;
      if (scores !== undefined) scores[count] = score(slot, frequency);
      slots[count++] = slot;
    }
    const found = slots.slice(0, count);
    return scores === undefined || count === 0
      ? constantMatches(found, 0)
      : { slots: found, scores: scores.subarray(0, count), score: 0 };
  }

  private candidates(): Int32Array {
    const byCount = [...this.places].sort((a, b) => this.countOf(a.codes) - this.countOf(b.codes));
    let matches: Matches | undefined;
    for (const { codes } of byCount) {
      const slots = this.slotsOf(codes);
      matches = matches === undefined ? constantMatches(slots, 0) : restrict(matches, slots);
      if (matches.slots.length === 0) break;
    }
    return matches?.slots ?? new Int32Array(0);
  }

  private slotsOf(codes: readonly number[]): Int32Array {
    const lists = codes.map((code) => constantMatches(this.text.postings.list(code).slots, 0));
    return unite(lists, this.options.slotCount, 1, false).slots;
  }

  private countOf(codes: readonly number[]): number {
    return codes.reduce((sum, code) => sum + this.text.postings.count(code), 0);
  }

  private frequencyIn(slot: number): number {
    return this.run === undefined ? this.countAnywhere(slot) : this.countRuns(slot, this.run);
  }

  /** A gap between two tokens is an entry, so adjacent terms are adjacent entries. */
  private countRuns(slot: number, run: Int32Array): number {
    const entries = this.stream.of(slot);
    const first = run[0] as number;
    let count = 0;
    for (let i = 0; i + run.length <= entries.length; i += 1) {
      if (entries[i] !== first) continue;
      let at = 1;
      while (at < run.length && entries[i + at] === run[at]) at += 1;
      if (at === run.length) count += 1;
    }
    return count;
  }

  private countAnywhere(slot: number): number {
    const parts = this.places.map(({ offset }, i): PhrasePart & { positions: number[] } => ({
      offset,
      positions: [],
      group: this.groups[i] as number,
    }));
    const entries = this.stream.of(slot);
    let position = 0;
    for (let i = 0; i < entries.length; i += 1) {
      const entry = entries[i] as number;
      if (entry < 0) {
        position += entry === SAME_POSITION ? -1 : -entry;
        continue;
      }
      const wanted = this.groupOfCode.get(entry);
      if (wanted !== undefined) {
        for (const part of wanted) (parts[part] as { positions: number[] }).positions.push(position);
      }
      position += 1;
    }
    const { slop } = this.options;
    return slop === 0 ? exactFrequency(parts) : sloppyFrequency(parts, slop);
  }

  /** BM25 with the phrase's frequency, and the sum of the inverse document frequencies of its terms. */
  private scorer(): (slot: number, frequency: number) => number {
    const { text } = this;
    let weight = 0;
    for (const { codes } of this.places)
      for (const code of codes) weight += termWeight(text, text.postings.count(code), this.options.boost);
    const factors = text.field.hasNorms ? lengthFactors(text) : undefined;
    // For fields without norms the length counts as one token.
    const plain = lengthFactor(text, 1);
    return (slot, frequency) => (weight * frequency) / (frequency + (factors?.[text.lengths[slot] as number] ?? plain));
  }
}

/** The same number for positions that share a term, directly or through others. */
function groupsOf(places: readonly PhrasePlace[]): number[] {
  const groups = places.map((_, i) => i);
  const placeOf = new Map<number, number>();
  places.forEach(({ codes }, i) => {
    for (const code of codes) {
      const other = placeOf.get(code);
      if (other === undefined) placeOf.set(code, i);
      else merge(groups, groups[other] as number, groups[i] as number);
    }
  });
  return groups;
}

function merge(groups: number[], kept: number, lost: number): void {
  groups.forEach((group, i) => {
    if (group === lost) groups[i] = kept;
  });
}
