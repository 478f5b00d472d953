import { backtrackingCost } from './backtrackingCost.js';
import { PatternFault } from './PatternFault.js';
import type { PatternNode } from './PatternNode.js';
import { compilePattern, countSteps } from './PatternProgram.js';
import { readPattern } from './PatternReader.js';
import { foldedRuns, requiredRuns, requiredTexts } from './requiredTexts.js';
import { SearchAutomaton } from './SearchAutomaton.js';

/**
 * Steps of one automaton; more comes of nested counted repetitions only. At worst all of them are followed at each
 * character: some 20 ns for ten steps, so half a second for 100,000 characters and 2,500 steps at once.
 */
const MAX_STEPS = 4_000;
/** Longer values never go to the native matcher. */
const MAX_NATIVE_LENGTH = 256;
/** Tries that the native matcher may need at most for one value. */
const MAX_NATIVE_TRIES = 20_000;

/**
 * A user's regular expression: ECMAScript syntax and semantics without look-around and back-references, found anywhere
 * in a value, in time linear in its length (realtime-filters.md, regexp). Both matchers are made when first needed.
 */
export class Pattern {
  /** Of its automaton: repetitions are written out. */
  readonly stepCount: number;
  private readonly tree: PatternNode;
  private runs: readonly string[] | undefined;
  private nativeUpTo: number | undefined;
  private native: RegExp | undefined;
  private automaton: SearchAutomaton | undefined;

  /**
   * @param source a non-empty pattern
   * @param flags of `i`, `m`, `s`, `u`, sorted
   * @throws PatternFault with the reason of the refusal
   */
  constructor(
    readonly source: string,
    readonly flags: string,
  ) {
    assertSyntax(source, flags);
    this.tree = readPattern(source, flags.includes('u'));
    this.stepCount = countSteps(this.tree);
    if (this.stepCount > MAX_STEPS) {
      throw new PatternFault(
        `too many repetitions: at most ${MAX_STEPS} steps once they are written out`,
      );
    }
  }

  /** Texts, in ASCII small letters, one of which is in every value that the pattern is found in, if such are known. */
  get requiredTexts(): readonly string[] | undefined {
    return requiredTexts(this.tree, this.flags);
  }

  /** Texts, in ASCII small letters, all of which are in every value, so written, that the pattern is found in. */
  get neededTexts(): readonly string[] {
    return foldedRuns(this.tree, this.flags);
  }

  /** Is the pattern found in the text? */
  matches(text: string): boolean {
    this.runs ??= requiredRuns(this.tree, this.flags);
    for (const run of this.runs) if (!text.includes(run)) return false;
    this.nativeUpTo ??= this.findNativeLimit();
    if (text.length <= this.nativeUpTo) {
      this.native ??= new RegExp(this.source, this.flags);
      return this.native.test(text);
    }
    this.automaton ??= new SearchAutomaton(
      compilePattern(this.tree, this.flags.replace('m', '')),
      this.flags,
    );
    return this.automaton.search(text);
  }

  /** The longest text for which a backtracking matcher needs few tries: the cost grows with the length. */
  private findNativeLimit(): number {
    let low = -1;
    let high = MAX_NATIVE_LENGTH;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      // Each try may look at the whole pattern; the search begins at each place.
      const tries = backtrackingCost(this.tree, middle) * (middle + 1);
      if (tries <= MAX_NATIVE_TRIES) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function assertSyntax(source: string, flags: string): void {
  try {
    new RegExp(source, flags);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    // The native message repeats the whole pattern before its reason.
    throw new PatternFault(text.slice(text.lastIndexOf(': ') + 2).toLowerCase());
  }
}
