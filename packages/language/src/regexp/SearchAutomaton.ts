/*
 * Search in linear time, whatever the pattern.
 *
 * Idea: all reachable steps are followed at once, character by character. A set of steps is cached as a state with its
 * transition per class of characters, so most characters of a long value cost one table lookup. The cache is bounded. A
 * pattern that fills it continues without a cache for a while, at (characters × steps), and tries again later, as many
 * patterns settle after some hundred characters.
 *
 * A search of a long value may follow a limited number of steps; then it ends with no match. Such a search begins with
 * an empty cache, so the result depends on pattern and value only and is the same on all nodes.
 *
 * An assertion looks at both sides of a position, so a state holds the steps *before* assertions are followed, and the
 * kind of the last character; assertions are followed when the next character is known.
 */
import { CharacterClasses, type CharacterClass } from './CharacterClasses.js';
import { characterTest, type CharacterTest } from './CharacterTest.js';
import type { Assertion } from './PatternNode.js';
import type { PatternProgram } from './PatternProgram.js';

/** Searches of longer values have a step limit and begin with an empty cache. */
export const LONG_FROM = 2_048;
/** Size limit of the cache between searches, and during one of a long value: steps and transition slots. */
const MAX_KEPT = 16_384;
const MAX_REMEMBERED = 131_072;
/** Overhead of a state. */
const STATE_SIZE = 24;
/** Characters until caching is tried again; doubles each time. */
const FIRST_PAUSE = 256;

/** A kind of neighbour that assertions distinguish; undefined at the start and end of the string. */
type Neighbour = CharacterClass | undefined;

interface State {
  steps: Int32Array;
  /** Number of valid entries in `steps`. */
  count: number;
  last: Neighbour;
  /** By class number: the next state; null: the pattern is found before the character. */
  readonly next: (State | null | undefined)[];
  /** Another state with the same hash. */
  readonly sibling: State | undefined;
}

const CHARACTER = 0;
const FORK = 1;
const ASSERTION = 2;
const FOUND = 3;

export class SearchAutomaton {
  /** Steps followed in the last search. */
  followed = 0;
  private readonly classes: CharacterClasses;
  private readonly kinds: Uint8Array;
  private readonly targets: Int32Array;
  /** By character step: the number of its test. */
  private readonly testOf: Int32Array;
  private readonly forks: readonly (readonly number[] | undefined)[];
  private readonly assertions: readonly (Assertion | undefined)[];
  private readonly hasAssertions: boolean;
  private readonly testCount: number;
  /** Cost of preparing the tests, in steps: counted in each search of a long value, independent of earlier searches. */
  private readonly preparation: number;
  private readonly start: number;
  private readonly isUnicode: boolean;
  private readonly isMultiline: boolean;
  private readonly states = new Map<number, State>();
  private remembered = 0;
  private readonly first: State;
  /** Represents a state that isn't cached. */
  private readonly passing: State;
  // Scratch: which steps were followed or reached in which round.
  private readonly followedIn: Int32Array;
  private readonly reachedIn: Int32Array;
  private readonly pending: number[] = [];
  private reached: Int32Array;
  private reachedCount = 0;
  private reachedHash = 0;
  private round = 0;

  /** @param flags some of `i`, `m`, `s`, `u` */
  constructor({ steps, start }: PatternProgram, flags: string) {
    this.start = start;
    this.isUnicode = flags.includes('u');
    this.isMultiline = flags.includes('m');
    const tests = new Map<CharacterTest, number>();
    const numberOf = (test: CharacterTest) => {
      const number = tests.get(test) ?? tests.size;
      tests.set(test, number);
      return number;
    };
    const kinds = { character: CHARACTER, fork: FORK, assertion: ASSERTION, found: FOUND };
    this.kinds = Uint8Array.from(steps, ({ kind }) => kinds[kind]);
    this.targets = Int32Array.from(steps, (step) =>
      step.kind === 'character' || step.kind === 'assertion' ? step.next : 0,
    );
    this.testOf = Int32Array.from(steps, (step) => (step.kind === 'character' ? numberOf(step.test) : 0));
    this.forks = steps.map((step) => (step.kind === 'fork' ? step.next : undefined));
    this.assertions = steps.map((step) => (step.kind === 'assertion' ? step.assertion : undefined));
    this.hasAssertions = this.kinds.includes(ASSERTION);
    this.testCount = tests.size;
    this.preparation = [...tests.keys()].reduce((sum, test) => sum + test.preparation, 0);
    const word = this.hasAssertions ? characterTest('\\w', flags.replace('m', '')) : undefined;
    this.classes = new CharacterClasses([...tests.keys()], word);
    this.followedIn = new Int32Array(steps.length);
    this.reachedIn = new Int32Array(steps.length);
    this.reached = new Int32Array(steps.length);
    this.first = {
      steps: new Int32Array(0),
      count: 0,
      last: undefined,
      next: [],
      sibling: undefined,
    };
    this.passing = { ...this.first, steps: new Int32Array(steps.length), next: [] };
  }

  /** Memory of the program and the cache, in units of some 12 bytes. */
  get size(): number {
    return this.remembered + 8 * this.kinds.length + this.classes.size;
  }

  /**
   * Searches the string for the pattern.
   * @param allowance limit of steps in a string longer than `LONG_FROM`; each character counts as at least one
   */
  search(text: string, allowance: number): boolean {
    const isBounded = text.length > LONG_FROM;
    if (isBounded) this.forget();
    this.followed = isBounded ? this.preparation : 0;
    const max = isBounded ? MAX_REMEMBERED : MAX_KEPT;
    let end = isBounded ? Math.min(text.length, allowance - this.followed) : text.length;
    let [pause, paused] = [FIRST_PAUSE, 0];
    let state = this.first;
    let at = 0;
    while (at < end) {
      const code = this.isUnicode ? (text.codePointAt(at) as number) : text.charCodeAt(at);
      const kind = this.classes.of(code);
      let next = state.next[kind.number];
      if (next === undefined) {
        if (this.remembered > max) {
          this.forgetStates();
          [paused, pause] = [at + pause, 2 * pause];
        }
        const isFound = this.advance(state, kind);
        next = isFound ? null : at < paused ? this.pass(kind) : this.remember(kind);
        if (at >= paused && state !== this.passing) state.next[kind.number] = next;
        if (isBounded) end = Math.min(end, allowance - this.followed - this.classes.spent);
      }
      if (next === null) return true;
      state = next;
      at += code > 0xffff ? 2 : 1;
    }
    const isFound = at >= text.length && this.advance(state, undefined);
    if (this.remembered > MAX_KEPT) this.forgetStates();
    return isFound;
  }

  /**
   * Follows the steps over one character, or to the end of the string, into `reached`.
   * @returns whether the pattern is found
   */
  private advance({ steps, count, last }: State, after: Neighbour): boolean {
    const round = this.nextRound();
    const { kinds, followedIn, pending } = this;
    this.reachedCount = this.reachedHash = 0;
    let followed = count + 1;
    for (let i = -1; i < count; i++) {
      // The search may begin at each position.
      const entry = i < 0 ? this.start : (steps[i] as number);
      if (kinds[entry] === CHARACTER) {
        this.tryCharacter(entry, after, round);
        continue;
      }
      pending.push(entry);
      for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
        if (followedIn[step] === round) continue;
        followedIn[step] = round;
        const kind = kinds[step];
        if (kind === FORK) {
          const targets = this.forks[step] as readonly number[];
          followed += targets.length;
          for (let j = 0; j < targets.length; j++) {
            const target = targets[j] as number;
            // Most transitions lead to character steps, which needn't be queued.
            if (kinds[target] === CHARACTER) this.tryCharacter(target, after, round);
            else pending.push(target);
          }
        } else if (kind === CHARACTER) {
          this.tryCharacter(step, after, round);
        } else if (kind === FOUND) {
          pending.length = 0;
          return true;
        } else if (this.holds(this.assertions[step], last, after)) {
          followed++;
          pending.push(this.targets[step] as number);
        }
      }
    }
    this.followed += followed;
    return false;
  }

  private tryCharacter(step: number, after: Neighbour, round: number): void {
    if (after === undefined || after.accepts[this.testOf[step] as number] === 0) return;
    const target = this.targets[step] as number;
    if (this.reachedIn[target] === round) return;
    this.reachedIn[target] = round;
    this.reached[this.reachedCount++] = target;
    // A sum, as the order in which steps are reached doesn't matter.
    this.reachedHash = (this.reachedHash + Math.imul(target + 1, 0x9e3779b1)) | 0;
  }

  private holds(assertion: Assertion | undefined, before: Neighbour, after: Neighbour): boolean {
    switch (assertion) {
      case 'start':
        return before === undefined || (this.isMultiline && before.isLineEnd);
      case 'end':
        return after === undefined || (this.isMultiline && after.isLineEnd);
      case 'wordBoundary':
        return (before?.isWord === true) !== (after?.isWord === true);
      case 'noWordBoundary':
        return (before?.isWord === true) === (after?.isWord === true);
      case undefined:
        return false;
    }
  }

  /** The uncached state of the reached steps, valid until the next one. */
  private pass(last: Neighbour): State {
    const { passing } = this;
    [passing.steps, this.reached] = [this.reached, passing.steps];
    passing.count = this.reachedCount;
    passing.last = last;
    return passing;
  }

  /** The state of the reached steps, from the cache if it is known. */
  private remember(kind: CharacterClass): State {
    const { reachedCount: count, round, reachedIn } = this;
    const last = this.hasAssertions ? kind : undefined;
    const sort = last === undefined ? 0 : (last.isWord ? 2 : 1) + (last.isLineEnd ? 2 : 0);
    const hash = (this.reachedHash ^ Math.imul(sort, 0x85ebca6b)) | 0;
    const sibling = this.states.get(hash);
    for (let known = sibling; known !== undefined; known = known.sibling) {
      const isSame =
        known.count === count && known.last?.isWord === last?.isWord && known.last?.isLineEnd === last?.isLineEnd;
      if (isSame && known.steps.every((step) => reachedIn[step] === round)) return known;
    }
    const state = { steps: this.reached.slice(0, count), count, last, next: [], sibling };
    this.states.set(hash, state);
    // Depends on the pattern only: the classes met so far come from earlier strings too.
    this.remembered += STATE_SIZE + count + this.testCount;
    return state;
  }

  private forget(): void {
    this.classes.forget();
    this.forgetStates();
  }

  private forgetStates(): void {
    this.states.clear();
    this.first.next.length = 0;
    this.remembered = 0;
  }

  private nextRound(): number {
    if (this.round === 0x7fff_ffff) {
      this.round = 0;
      this.followedIn.fill(0);
      this.reachedIn.fill(0);
    }
    return ++this.round;
  }
}
