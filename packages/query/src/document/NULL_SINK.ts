import type { DocumentSink } from './DocumentSink.js';

function ignore(): void {
  // a check needs no values
}

/** A sink that ignores everything: `parseDocument` with it only checks. */
export const NULL_SINK: DocumentSink = Object.freeze({
  text: ignore,
  keyword: ignore,
  number: ignore,
  boolean: ignore,
  date: ignore,
  ip: ignore,
  point: ignore,
  shape: ignore,
  binary: ignore,
  beginNested: ignore,
  endNested: ignore,
});
