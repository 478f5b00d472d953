import type { PackedTexts } from './packTexts.js';

/** The result of a task of the search thread. */
export interface WrittenOutcome {
  /** JSON text. For a search or a page: its `SearchOutcome`, without the sources of its hits. */
  readonly json: string;
  /** The sources of the hits as stored: parsed only when used. */
  readonly sources?: readonly string[] | PackedTexts;
  /** The list of hits as clients receive it, as JSON; `json` then has none. A long one is UTF-8. */
  readonly hits?: string | Uint8Array<ArrayBuffer>;
  /** JSON of the aggregations, with `hits`. */
  readonly aggregations?: string;
}
