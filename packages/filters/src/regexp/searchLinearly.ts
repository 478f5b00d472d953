/*
 * Search with an automaton: all steps that can be reached are followed at once, character by character, so the time is
 * at most (characters × steps) whatever the pattern, and nothing is ever tried twice.
 */
import type { Assertion } from './PatternNode.js';
import type { PatternProgram } from './PatternProgram.js';

/** What the flags of a pattern mean for its automaton. */
export interface SearchMode {
  readonly isUnicode: boolean;
  readonly isMultiline: boolean;
  /** Is the character at a place a word character? */
  readonly isWord: (code: number) => boolean;
}

const NONE = -1;

/** Is the pattern found anywhere in the text? */
export function searchLinearly(program: PatternProgram, mode: SearchMode, text: string): boolean {
  const { steps, start } = program;
  const reachedAt = new Int32Array(steps.length).fill(NONE);
  let waiting: number[] = [];
  let upcoming: number[] = [];
  const pending: number[] = [];
  let before = NONE;
  let position = 0;

  /** Follows forks and assertions from a step. @returns whether the end of the pattern is reached */
  const reach = (from: number, code: number, into: number[]): boolean => {
    pending.push(from);
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (reachedAt[at] === position) continue;
      reachedAt[at] = position;
      const step = steps[at];
      if (step === undefined || step.kind === 'found') return true;
      if (step.kind === 'character') into.push(at);
      else if (step.kind === 'fork') pending.push(...step.next);
      else if (holds(step.assertion, before, code, mode)) pending.push(step.next);
    }
    return false;
  };

  let code = codeAt(text, 0, mode);
  if (reach(start, code, waiting)) return true;
  while (code !== NONE) {
    const current = code;
    position += current > 0xffff ? 2 : 1;
    before = current;
    code = codeAt(text, position, mode);
    upcoming.length = 0;
    for (const at of waiting) {
      const step = steps[at];
      if (step?.kind !== 'character' || !step.test.matches(current)) continue;
      if (reach(step.next, code, upcoming)) return true;
    }
    if (reach(start, code, upcoming)) return true;
    [waiting, upcoming] = [upcoming, waiting];
  }
  return false;
}

function codeAt(text: string, position: number, { isUnicode }: SearchMode): number {
  if (position >= text.length) return NONE;
  return isUnicode ? (text.codePointAt(position) ?? NONE) : text.charCodeAt(position);
}

function holds(assertion: Assertion, before: number, after: number, mode: SearchMode): boolean {
  switch (assertion) {
    case 'start':
      return before === NONE || (mode.isMultiline && isLineEnd(before));
    case 'end':
      return after === NONE || (mode.isMultiline && isLineEnd(after));
    case 'wordBoundary':
      return isWordAt(before, mode) !== isWordAt(after, mode);
    case 'noWordBoundary':
      return isWordAt(before, mode) === isWordAt(after, mode);
  }
}

function isWordAt(code: number, mode: SearchMode): boolean {
  return code !== NONE && mode.isWord(code);
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029;
}
