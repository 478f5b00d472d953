import type { PackedTexts } from './packTexts.js';

/** The result of a task of the search thread. */
export interface WrittenOutcome {
  /** JSON text. For a search or a page: its `SearchOutcome`, without the sources of its hits. */
  readonly json: string;
  /** The sources of the hits as stored: parsed only when used. */
  readonly sources?: readonly string[] | PackedTexts;
}
