import { characterTest, type CharacterTest } from './CharacterTest.js';
import type { Assertion, PatternNode } from './PatternNode.js';

/** One step of an automaton; steps are identified by their number. */
export type PatternStep =
  | { readonly kind: 'character'; readonly test: CharacterTest; readonly next: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'fork'; readonly next: number[] }
  | { readonly kind: 'found' };

/** Number of steps that `compilePattern` creates for a node: repetitions are expanded. */
export function countSteps(node: PatternNode): number {
  switch (node.kind) {
    case 'character':
    case 'assertion':
      return 1;
    case 'text':
      return node.text.length;
    case 'sequence':
    case 'choice': {
      let sum = 1;
      for (let i = 0; i < node.parts.length; i++) sum += countSteps(node.parts[i] as PatternNode);
      return sum;
    }
    case 'repetition': {
      const each = countSteps(node.part) + 1;
      return node.max === Infinity ? (node.min + 1) * each : Math.max(1, node.max) * each;
    }
  }
}

/** A nondeterministic automaton that accepts the matches of the pattern; it begins at the step `start`. */
export interface PatternProgram {
  readonly steps: readonly PatternStep[];
  readonly start: number;
}

/** Builds the automaton backwards: each node receives the step that follows it. */
export function compilePattern(root: PatternNode, characterFlags: string): PatternProgram {
  const steps: PatternStep[] = [{ kind: 'found' }];
  const tests = new Map<string, CharacterTest>();
  const add = (step: PatternStep) => steps.push(step) - 1;
  const testOf = (source: string) => {
    let test = tests.get(source);
    if (test === undefined) tests.set(source, (test = characterTest(source, characterFlags)));
    return test;
  };
  const isUnicode = characterFlags.includes('u');
  const build = (node: PatternNode, next: number): number => {
    switch (node.kind) {
      case 'character':
        return add({ kind: 'character', test: testOf(node.source), next });
      case 'text': {
        const characters = isUnicode ? [...node.text] : node.text.split('');
        return characters.reduceRight(
          (following, source) => add({ kind: 'character', test: testOf(source), next: following }),
          next,
        );
      }
      case 'assertion':
        return add({ kind: 'assertion', assertion: node.assertion, next });
      case 'sequence':
        return node.parts.reduceRight((following, part) => build(part, following), next);
      case 'choice':
        return add({ kind: 'fork', next: node.parts.map((part) => build(part, next)) });
      case 'repetition':
        return buildRepetition(node, next);
    }
  };
  const buildRepetition = ({ part, min, max }: PatternNode & { readonly kind: 'repetition' }, next: number): number => {
    let entry = next;
    if (max === Infinity) {
      const targets = [next];
      entry = add({ kind: 'fork', next: targets });
      targets.push(build(part, entry));
    }
    for (let i = min; i < (max === Infinity ? min : max); i++) {
      entry = add({ kind: 'fork', next: [next, build(part, entry)] });
    }
    for (let i = 0; i < min; i++) entry = build(part, entry);
    return entry;
  };
  const start = build(root, 0);
  return { steps, start };
}
