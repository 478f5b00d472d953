/*
 * Search in linear time, whatever the pattern.
 *
 * Idea: all steps that can be reached are followed at once, character by character. A set of steps and the way out of it
 * per class of characters are remembered as a state once met, so that most characters of a long value cost one look
 * into a table. States are bounded; a pattern that meets new ones all the time goes on without remembering, at
 * (characters × steps).
 * An assertion looks at both sides of a place, so a state holds the steps *before* assertions are followed, and what
 * kind of character came last; they are followed when the next character is known.
 */
import { CharacterClasses, type CharacterClass } from './CharacterClasses.js';
import { CharacterTest } from './CharacterTest.js';
import type { Assertion } from './PatternNode.js';
import type { PatternProgram } from './PatternProgram.js';

const MAX_STATES = 256;
/** Times that a search may fill the memory of states before it goes on without. */
const MAX_REFILLS = 2;

/** A kind of neighbour that assertions tell apart; undefined at an end of the text. */
type Neighbour = CharacterClass | undefined;

interface State {
  readonly steps: Int32Array;
  readonly last: Neighbour;
  /** By class number: where its characters lead; null: the pattern is found before them. */
  readonly next: (State | null | undefined)[];
}

const CHARACTER = 0;
const FORK = 1;
const ASSERTION = 2;
const FOUND = 3;

export class SearchAutomaton {
  private readonly classes: CharacterClasses;
  private readonly kinds: Uint8Array;
  private readonly targets: Int32Array;
  /** Of characters: the number of their test. */
  private readonly testOf: Int32Array;
  private readonly forks: readonly (readonly number[] | undefined)[];
  private readonly assertions: readonly (Assertion | undefined)[];
  private readonly start: number;
  private readonly isUnicode: boolean;
  private readonly isMultiline: boolean;
  private readonly states = new Map<string, State>();
  // Scratch: which steps were followed or reached in which round.
  private readonly followedIn: Int32Array;
  private readonly reachedIn: Int32Array;
  private readonly pending: number[] = [];
  private reached: Int32Array;
  private reachedCount = 0;
  private round = 0;

  /** @param flags of `i`, `m`, `s`, `u` */
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
    this.testOf = Int32Array.from(steps, (step) => (step.kind === 'character' ? numberOf(step.test) : 0)); // prettier-ignore
    this.forks = steps.map((step) => (step.kind === 'fork' ? step.next : undefined));
    this.assertions = steps.map((step) => (step.kind === 'assertion' ? step.assertion : undefined));
    const word = new CharacterTest('\\w', flags.replace('m', ''));
    this.classes = new CharacterClasses([...tests.keys()], word);
    this.followedIn = new Int32Array(steps.length);
    this.reachedIn = new Int32Array(steps.length);
    this.reached = new Int32Array(steps.length);
  }

  /** Is the pattern found anywhere in the text? */
  search(text: string): boolean {
    let state = this.stateOf(new Int32Array(0), 0, undefined);
    let refills = 0;
    for (let at = 0; at < text.length;) {
      const code = this.isUnicode ? (text.codePointAt(at) as number) : text.charCodeAt(at);
      const kind = this.classes.of(code);
      let next = state.next[kind.number];
      if (next === undefined) {
        if (this.states.size >= MAX_STATES) {
          this.states.clear();
          if (++refills > MAX_REFILLS) return this.searchOn(text, at, state);
        }
        const count = this.advance(state.steps, state.steps.length, state.last, kind);
        next = count < 0 ? null : this.stateOf(this.reached, count, kind);
        state.next[kind.number] = next;
      }
      if (next === null) return true;
      state = next;
      at += code > 0xffff ? 2 : 1;
    }
    return this.advance(state.steps, state.steps.length, state.last, undefined) < 0;
  }

  /** Goes on without remembering states. */
  private searchOn(text: string, from: number, { steps, last }: State): boolean {
    let before = last;
    let count = steps.length;
    let current: Int32Array = new Int32Array(this.kinds.length);
    current.set(steps);
    for (let at = from; at < text.length;) {
      const code = this.isUnicode ? (text.codePointAt(at) as number) : text.charCodeAt(at);
      const kind = this.classes.of(code);
      count = this.advance(current, count, before, kind);
      if (count < 0) return true;
      [current, this.reached] = [this.reached, current];
      before = kind;
      at += code > 0xffff ? 2 : 1;
    }
    return this.advance(current, count, before, undefined) < 0;
  }

  /**
   * Follows the steps over one character, or to the end of the text, into `reached`.
   * @returns how many were reached; −1 where the pattern is found
   */
  private advance(steps: Int32Array, count: number, before: Neighbour, after: Neighbour): number {
    const round = this.nextRound();
    const { kinds, followedIn, pending } = this;
    this.reachedCount = 0;
    for (let i = -1; i < count; i++) {
      // The search may begin at each place.
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
          for (let j = 0; j < targets.length; j++) {
            const target = targets[j] as number;
            // Most ways lead to characters: they need not wait.
            if (kinds[target] === CHARACTER) this.tryCharacter(target, after, round);
            else pending.push(target);
          }
        } else if (kind === CHARACTER) {
          this.tryCharacter(step, after, round);
        } else if (kind === FOUND) {
          pending.length = 0;
          return -1;
        } else if (this.holds(this.assertions[step], before, after)) {
          pending.push(this.targets[step] as number);
        }
      }
    }
    return this.reachedCount;
  }

  private tryCharacter(step: number, after: Neighbour, round: number): void {
    if (after === undefined || after.accepts[this.testOf[step] as number] === 0) return;
    const target = this.targets[step] as number;
    if (this.reachedIn[target] === round) return;
    this.reachedIn[target] = round;
    this.reached[this.reachedCount++] = target;
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

  private stateOf(steps: Int32Array, count: number, last: Neighbour): State {
    const sorted = steps.slice(0, count).sort();
    const kind = last === undefined ? '^' : `${last.isWord ? 'w' : ''}${last.isLineEnd ? 'l' : ''}`;
    const key = `${kind} ${sorted.join()}`;
    let state = this.states.get(key);
    if (state === undefined) this.states.set(key, (state = { steps: sorted, last, next: [] }));
    return state;
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
