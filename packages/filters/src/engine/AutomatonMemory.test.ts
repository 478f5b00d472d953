import { describe, expect, it } from 'vitest';
import { Pattern } from '@millrace/language';
import { FilterEngine } from './FilterEngine.js';
import { AutomatonMemory } from './AutomatonMemory.js';

/** Expensive for a backtracking matcher, so an automaton searches it. */
const sourceOf = (n: number) => `(x${n}|[a-z]{5}(a|b)*[0-9a-f]+){2}q.*z{3}(a*b*)*`;
const text = `${Array.from({ length: 300 }, (_, n) => 'abcdefxyz0123 q'[(n * n) % 15]).join('')}qzzz`;

describe('AutomatonMemory', () => {
  it('forgets the automata used first, and they find the same again', () => {
    const patterns = Array.from({ length: 50 }, (_, n) => new Pattern(sourceOf(n), ''));
    const memory = new AutomatonMemory(20_000);
    const search = () =>
      patterns.map((pattern) => {
        const isFound = pattern.matches(text);
        memory.note(pattern);
        return isFound;
      });
    const first = search();
    expect(memory.units).toBeGreaterThan(0);
    expect(memory.units).toBeLessThanOrEqual(20_000);
    expect(patterns[0]?.remembered).toBe(0);
    expect(patterns.at(-1)?.remembered).toBeGreaterThan(0);
    expect(search()).toEqual(first);
  });

  it('counts nothing for patterns that are gone', () => {
    const memory = new AutomatonMemory();
    const pattern = new Pattern(sourceOf(1), '');
    pattern.matches(text);
    memory.note(pattern);
    memory.forget(pattern);
    expect([memory.units, pattern.remembered]).toEqual([0, 0]);
  });

  it('counts the searches and removals of an engine', () => {
    const engine = new FilterEngine();
    const { id } = engine.register('i', 'c', { regexp: { t: sourceOf(1) } });
    engine.test('i', 'c', { t: text });
    expect(engine.automatonUnits).toBeGreaterThan(0);
    engine.remove(id);
    expect(engine.automatonUnits).toBe(0);
  });
});
