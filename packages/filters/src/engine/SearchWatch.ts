/*
 * A document whose texts many large patterns are searched in may take seconds: each filter's patterns are bounded, not
 * those of all filters. So that the event loop is not held meanwhile, a test may be tried for some milliseconds and then
 * tried again, from its beginning: what searches have found is remembered until it is done, so that each try comes
 * further. The answer is that of a test in one go, but for filters that come or go between two tries.
 */
import { AutomatonMemory } from './AutomatonMemory.js';
import type { SharedPattern } from './SharedPattern.js';

/** Searches of shorter texts are not watched. */
export const WATCHED_FROM = 64;
/** What takes no longer is searched again. */
const WORTH_REMEMBERING_MS = 0.005;

const OUT_OF_TIME = new Error('a test is to be tried again');

/** Watches the searches of an engine while a test is tried. */
export class SearchWatch {
  readonly automata = new AutomatonMemory();
  private endMs = Infinity;
  /** In this try. */
  private rememberedCount = 0;
  private readonly remembering = new Set<SharedPattern>();

  /** @returns undefined where the time did not suffice: to be tried again */
  attempt<T extends object>(tryMs: number, work: () => T): T | undefined {
    this.endMs = performance.now() + tryMs;
    this.rememberedCount = 0;
    try {
      return work();
    } catch (error) {
      if (error !== OUT_OF_TIME) throw error;
      return undefined;
    } finally {
      this.endMs = Infinity;
    }
  }

  /** The test is done, or given up. */
  forget(): void {
    for (const shared of this.remembering) shared.known = undefined;
    this.remembering.clear();
  }

  /** Is the pattern found? Leaves the test where its time is over. */
  search(shared: SharedPattern, text: string): boolean {
    if (this.endMs === Infinity) return shared.pattern.matches(text);
    const known = shared.known?.get(text);
    if (known !== undefined) return known;
    const startMs = performance.now();
    // Each try comes further than the one before.
    if (startMs >= this.endMs && this.rememberedCount > 0) throw OUT_OF_TIME;
    const isFound = shared.pattern.matches(text);
    if (performance.now() - startMs > WORTH_REMEMBERING_MS) {
      shared.known ??= new Map();
      shared.known.set(text, isFound);
      this.remembering.add(shared);
      this.rememberedCount++;
    }
    return isFound;
  }
}
