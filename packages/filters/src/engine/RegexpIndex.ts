/*
 * Patterns indexed by strings that every match contains: three letters of each such string (a *gram*), those that the
 * fewest other patterns share, lead to the pattern (`GramTable`). A value looks up each of its grams once, so
 * thousands of patterns cost time proportional to the length of the value; patterns without such a string are tried one
 * by one.
 */
import type { CompiledTest } from './CompiledTest.js';
import { GRAM_LENGTH, gramAt, gramsOf, GramTable } from './GramTable.js';
import type { HandleTable } from './HandleTable.js';
import type { MatchSink } from './MatchSink.js';
import { PostingList } from './PostingList.js';
import type { SharedPattern } from './PatternSearches.js';

/** Number of grams of one string that are compared with each other. */
const MAX_WEIGHED = 16;

interface PatternPostings {
  readonly pattern: SharedPattern;
  readonly filters: PostingList;
  /** Entries of the table; none if the pattern is tried on every value. */
  readonly clues: readonly number[];
  askedAt: number;
}

export class RegexpIndex {
  private readonly byPattern = new Map<SharedPattern, PatternPostings>();
  private readonly byGram = new GramTable<PatternPostings>();
  private readonly ungrouped = new Set<PatternPostings>();
  // State of the value under test, so that one visitor serves all.
  private text = '';
  private generation = 0;
  private sink: MatchSink | undefined;
  private readonly visitor = (postings: PatternPostings) => this.ask(postings);

  get isEmpty(): boolean {
    return this.byPattern.size === 0;
  }

  get byteCount(): number {
    // Memory of a pattern: its tree, its native form, its postings.
    let bytes = this.byPattern.size * 900 + this.byGram.byteCount;
    for (const { filters } of this.byPattern.values()) bytes += filters.size * 16;
    return bytes;
  }

  add(pattern: SharedPattern, handle: number, table: HandleTable, residual: CompiledTest | undefined): void {
    let postings = this.byPattern.get(pattern);
    if (postings === undefined) this.byPattern.set(pattern, (postings = this.place(pattern)));
    postings.filters.add(handle, table, residual);
  }

  remove(pattern: SharedPattern, handle: number, table: HandleTable, residual: CompiledTest | undefined): void {
    const postings = this.byPattern.get(pattern);
    if (postings === undefined) return;
    postings.filters.remove(handle, table, residual);
    if (postings.filters.size > 0) return;
    this.byPattern.delete(pattern);
    this.ungrouped.delete(postings);
    for (const clue of postings.clues) this.byGram.remove(clue);
  }

  collect(text: string, generation: number, sink: MatchSink): void {
    this.text = text;
    this.generation = generation;
    this.sink = sink;
    if (this.byGram.count > 0) this.byGram.visit(text, this.visitor);
    for (const each of this.ungrouped) this.ask(each);
    this.text = '';
    this.sink = undefined;
  }

  /** Forgets which document was last tested: generations restart. */
  forgetGenerations(): void {
    for (const postings of this.byPattern.values()) postings.askedAt = 0;
  }

  private ask(postings: PatternPostings): void {
    const { text, generation } = this;
    if (postings.askedAt === generation) return;
    postings.askedAt = generation;
    if (postings.pattern.isFoundIn(text, generation)) this.sink?.addAll(postings.filters);
  }

  private place(pattern: SharedPattern): PatternPostings {
    const { required, needed } = pattern.pattern.texts;
    const clues: number[] = [];
    const postings = { pattern, filters: new PostingList(), clues, askedAt: 0 };
    if (required === undefined) {
      this.ungrouped.add(postings);
      return postings;
    }
    for (const text of required) {
      const grams = gramsOf(text);
      const gram = this.rarestOf(grams);
      // The other strings, and the further end of this one, are the most selective additions.
      const other = needed.find((each) => each.length >= GRAM_LENGTH && !text.includes(each));
      const need = other === undefined ? gram : gramAt(other, 0);
      const isEarly = 2 * grams.indexOf(gram) < grams.length;
      const far = grams[isEarly ? grams.length - 1 : 0] ?? gram;
      clues.push(this.byGram.add(gram, [need, far], postings));
    }
    return postings;
  }

  /** The gram that the fewest other patterns share. */
  private rarestOf(grams: readonly number[]): number {
    let rarest = grams[0] ?? 0;
    let load = Infinity;
    for (let i = 0; i < grams.length && i < MAX_WEIGHED && load > 0; i++) {
      const gram = grams[i] as number;
      const others = this.byGram.loadOf(gram);
      if (others < load) [rarest, load] = [gram, others];
    }
    return rarest;
  }
}
