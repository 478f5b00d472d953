import { PatternFault, type PatternNode } from './PatternNode.js';
import { compilePattern, countSteps } from './PatternProgram.js';
import { readPattern } from './PatternReader.js';
import { LONG_FROM, SearchAutomaton } from './SearchAutomaton.js';
import { foldedTexts, requiredRuns, type FoldedTexts } from './requiredTexts.js';

/**
 * The budget shared by the patterns of one filter: searches of long values may follow a limited number of steps
 * together, each pattern in proportion to its size. A step takes some 5 ns.
 */
export interface PatternShare {
  /** Steps of all patterns together. */
  steps: number;
}

const MAX_FOLLOWED = 20_000_000;
/** Patterns of at most this many steps are searched through 50,000 characters, whatever these are. */
const MIN_STEPS = 400;

/** Steps that a search may follow, per step of its pattern. */
function followedPerStep({ steps }: PatternShare): number {
  return Math.floor(MAX_FOLLOWED / Math.max(MIN_STEPS, steps));
}

/** Longer values are never passed to the native matcher. */
const MAX_NATIVE_LENGTH = 256;
/** Number of characters of a required string that are searched for. */
const MAX_RUN_LENGTH = 16;
/** Steps that each pattern adds to its own in the budget of a filter's patterns. */
const STEPS_PER_PATTERN = 40;
/** Maximum number of tries of the native matcher for one value. */
const MAX_NATIVE_TRIES = 20_000;

/**
 * A user's regular expression: ECMAScript syntax and semantics without look-around and back-references, found anywhere
 * in a value, in time linear in its length (FILTER-13). Both matchers are created at first use. In a value of more than
 * 2,048 characters only a limited number of steps is followed (`PatternShare`); later occurrences are not found.
 */
export class Pattern {
  /** Steps of its automaton: repetitions are expanded. */
  readonly stepCount: number;
  private readonly tree: PatternNode;
  private runs: readonly string[] | undefined;
  private nativeUpTo: number | undefined;
  private native: RegExp | undefined;
  private automaton: SearchAutomaton | undefined;
  /** Cost of the last search, in steps of an automaton: at least one per character. */
  followed = 0;

  /**
   * @param source a non-empty pattern
   * @param flags some of `i`, `m`, `s`, `u`, sorted
   * @param share budget of the filter's patterns
   * @throws PatternFault with the reason of the refusal
   */
  constructor(
    readonly source: string,
    readonly flags: string,
    private readonly share: PatternShare = { steps: 0 },
  ) {
    assertSyntax(source, flags);
    this.tree = readPattern(source, flags.includes('u'));
    this.stepCount = countSteps(this.tree);
    share.steps += this.weight;
  }

  /** Patterns with the same source, flags and `effort` give the same results. */
  get effort(): number {
    return followedPerStep(this.share);
  }

  /** The key of the pattern in an index; not cached. */
  get texts(): FoldedTexts {
    return foldedTexts(this.tree, this.flags);
  }

  /** True if the pattern is found in the string. */
  matches(text: string): boolean {
    this.followed = text.length >> 4;
    const left = this.lookForRuns(text);
    if (left < 0) return false;
    this.nativeUpTo ??= this.findNativeLimit();
    if (text.length <= this.nativeUpTo) {
      this.native ??= new RegExp(this.source, this.flags);
      return this.native.test(text);
    }
    this.automaton ??= new SearchAutomaton(compilePattern(this.tree, this.flags.replace('m', '')), this.flags);
    const isFound = this.automaton.search(text, left);
    this.followed += this.automaton.followed + text.length;
    return isFound;
  }

  /** Memory of its automaton, in units of some 12 bytes; 0 without one. */
  get remembered(): number {
    return this.automaton?.size ?? 0;
  }

  /** Discards the automaton until the next search. */
  forget(): void {
    this.automaton = undefined;
  }

  private get weight(): number {
    return this.stepCount + STEPS_PER_PATTERN;
  }

  /**
   * Searches for strings that every match contains; comparing two characters costs about as much as a step.
   * @returns the remaining steps; −1 if a string is missing
   */
  private lookForRuns(text: string): number {
    this.runs ??= requiredRuns(this.tree, this.flags).map((run) => run.slice(0, MAX_RUN_LENGTH));
    let left = this.effort * this.weight;
    for (const run of this.runs) {
      if (text.length > LONG_FROM) {
        if (2 * left < text.length) break;
        left -= text.length >> 1;
      }
      if (!text.includes(run)) return -1;
    }
    return left;
  }

  /** The longest string for which a backtracking matcher needs few tries: the cost grows with the length. */
  private findNativeLimit(): number {
    let low = -1;
    let high = MAX_NATIVE_LENGTH;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      // Each try may visit the whole pattern; the search starts at each position.
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

/**
 * An upper bound of the number of ways a backtracking matcher can try a pattern at one position of a string of `length`
 * characters: repetitions multiply, choices add. `Infinity` if a repetition contains a repetition or a choice.
 */
function backtrackingCost(node: PatternNode, length: number): number {
  switch (node.kind) {
    case 'character':
    case 'assertion':
    case 'text':
      return 1;
    case 'sequence':
      return node.parts.reduce((ways, part) => ways * backtrackingCost(part, length), 1);
    case 'choice':
      return node.parts.reduce((ways, part) => ways + backtrackingCost(part, length), 0);
    case 'repetition': {
      if (node.min === node.max && node.max <= 1) return backtrackingCost(node.part, length);
      if (node.part.kind !== 'character') return Infinity;
      return Math.min(node.max, length) - Math.min(node.min, length) + 1;
    }
  }
}
