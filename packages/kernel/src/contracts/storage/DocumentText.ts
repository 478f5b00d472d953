import type { JsonObject } from '../../json/Json.js';
import { weighJson } from '../../json/weighJson.js';
import type { DocumentImage } from './ChangeLog.js';
import type { DocumentMetadata } from './DocumentMetadata.js';

/** Shorter text counts its characters: readers limit the number of documents, too. */
const MIN_WEIGHED = 4_096;

/**
 * A document that remains JSON text in memory: thousands are read together, and parsed they may take twenty times as
 * much. Each access of `source` parses it.
 */
export class DocumentText implements DocumentImage {
  constructor(
    private readonly json: string,
    readonly meta: DocumentMetadata,
    readonly version: number,
  ) {}

  get source(): JsonObject {
    return JSON.parse(this.json) as JsonObject;
  }
}

/** Approximate bytes that a document takes once parsed. @param json of content that was accepted before */
export function weighText(json: string): number {
  return json.length < MIN_WEIGHED ? json.length : weighJson(Buffer.from(json), Infinity);
}
