/*
 * Patterns behind the texts that a match must contain: three letters of each such text (a *gram*), those that fewest
 * others share, lead to the pattern. A value asks for each of its own grams once, so that thousands of patterns cost
 * what the value is long; patterns without such a text are tried one by one.
 */
import { foldCode } from '../regexp/requiredTexts.js';
import type { CompiledTest } from './CompiledTest.js';
import type { HandleTable } from './HandleTable.js';
import type { MatchSink } from './MatchSink.js';
import { PostingList } from './PostingList.js';
import type { SharedPattern } from './SharedPattern.js';

const GRAM_LENGTH = 3;
/** From this many grams on, a small table tells first that none is there. */
const SKETCHED_FROM = 32;
const SKETCH_SIZE = 8_192;

interface PatternPostings {
  readonly pattern: SharedPattern;
  readonly filters: PostingList;
  /** Empty: tried on every value. */
  readonly clues: readonly Clue[];
  askedAt: number;
}

/** A text that leads to a pattern, found by one of its grams. */
interface Clue {
  readonly gram: number;
  readonly text: string;
  /** Place of the gram in the text. */
  readonly at: number;
}

export class RegexpIndex {
  private readonly byPattern = new Map<SharedPattern, PatternPostings>();
  private readonly byGram = new Map<number, { clue: Clue; postings: PatternPostings }[]>();
  private readonly ungrouped = new Set<PatternPostings>();
  /** By the last bits of a gram: how many grams end so. */
  private sketch: Uint16Array | undefined;

  get isEmpty(): boolean {
    return this.byPattern.size === 0;
  }

  get byteCount(): number {
    // A pattern: its tree, its native form, its postings.
    let bytes = this.byPattern.size * 900 + this.byGram.size * 90;
    for (const { filters } of this.byPattern.values()) bytes += filters.size * 16;
    return bytes;
  }

  add(
    pattern: SharedPattern,
    handle: number,
    table: HandleTable,
    residual: CompiledTest | undefined,
  ): void {
    let postings = this.byPattern.get(pattern);
    if (postings === undefined) this.byPattern.set(pattern, (postings = this.place(pattern)));
    postings.filters.add(handle, table, residual);
  }

  remove(
    pattern: SharedPattern,
    handle: number,
    table: HandleTable,
    residual: CompiledTest | undefined,
  ): void {
    const postings = this.byPattern.get(pattern);
    if (postings === undefined) return;
    postings.filters.remove(handle, table, residual);
    if (postings.filters.size > 0) return;
    this.byPattern.delete(pattern);
    this.ungrouped.delete(postings);
    for (const { gram } of postings.clues) {
      const others = this.byGram.get(gram)?.filter((each) => each.postings !== postings) ?? [];
      if (others.length > 0) this.byGram.set(gram, others);
      else if (this.byGram.delete(gram)) this.countInSketch(gram, -1);
    }
  }

  collect(text: string, generation: number, sink: MatchSink): void {
    if (this.byGram.size > 0 && text.length >= GRAM_LENGTH) {
      const { sketch } = this;
      let first = foldCode(text.charCodeAt(0));
      let second = foldCode(text.charCodeAt(1));
      for (let i = 2; i < text.length; i++) {
        const third = foldCode(text.charCodeAt(i));
        const gram = gramOf(first, second, third);
        if (sketch === undefined || sketch[gram & (SKETCH_SIZE - 1)] !== 0) {
          for (const { clue, postings } of this.byGram.get(gram) ?? []) {
            if (stands(clue, text, i - 2)) ask(postings, text, generation, sink);
          }
        }
        first = second;
        second = third;
      }
    }
    for (const each of this.ungrouped) ask(each, text, generation, sink);
  }

  /** Forgets which document was asked about last: generations begin anew. */
  forgetGenerations(): void {
    for (const postings of this.byPattern.values()) postings.askedAt = 0;
  }

  private place(pattern: SharedPattern): PatternPostings {
    const texts = pattern.pattern.requiredTexts ?? [];
    const clues = texts.map((text) => this.clueFor(text));
    const postings = { pattern, filters: new PostingList(), clues, askedAt: 0 };
    if (clues.length === 0) this.ungrouped.add(postings);
    for (const clue of clues) {
      const others = this.byGram.get(clue.gram);
      if (others !== undefined) others.push({ clue, postings });
      else {
        this.byGram.set(clue.gram, [{ clue, postings }]);
        this.countInSketch(clue.gram, 1);
      }
    }
    return postings;
  }

  private countInSketch(gram: number, change: 1 | -1): void {
    if (this.byGram.size < SKETCHED_FROM) {
      this.sketch = undefined;
      return;
    }
    if (this.sketch === undefined) {
      this.sketch = new Uint16Array(SKETCH_SIZE);
      for (const each of this.byGram.keys()) this.addToSketch(this.sketch, each, 1);
    } else this.addToSketch(this.sketch, gram, change);
  }

  private addToSketch(sketch: Uint16Array, gram: number, change: number): void {
    const at = gram & (SKETCH_SIZE - 1);
    // A full counter stays full: a vain look and no more.
    if (sketch[at] !== 0xffff) sketch[at] = (sketch[at] ?? 0) + change;
  }

  /** By the gram that fewest others share. */
  private clueFor(text: string): Clue {
    let clue: Clue = { gram: 0, text, at: 0 };
    let load = Infinity;
    for (let at = 0; at + GRAM_LENGTH <= text.length && load > 0; at++) {
      const gram = gramOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
      const others = this.byGram.get(gram)?.length ?? 0;
      if (others < load) [clue, load] = [{ gram, text, at }, others];
    }
    return clue;
  }
}

/** Does the text of a clue stand in a value where its gram was found? */
function stands(clue: Clue, value: string, gramAt: number): boolean {
  const { text } = clue;
  const start = gramAt - clue.at;
  if (start < 0 || start + text.length > value.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (foldCode(value.charCodeAt(start + i)) !== text.charCodeAt(i)) return false;
  }
  return true;
}

/** A small integer for three codes; two grams of one number cost a vain try. */
function gramOf(first: number, second: number, third: number): number {
  return Math.imul(Math.imul(first, 0x3779b1) ^ second, 0x2bca6b) ^ third;
}

function ask(postings: PatternPostings, text: string, generation: number, sink: MatchSink): void {
  if (postings.askedAt === generation) return;
  postings.askedAt = generation;
  if (postings.pattern.isFoundIn(text, generation)) sink.addAll(postings.filters);
}
