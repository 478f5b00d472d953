import type { InjectionToken } from 'tsyringe';
import type { JsonObject } from '../../json/Json.js';
import type { CollectionName } from '../storage/StorageEngine.js';

/** Content on its way into the store, or to subscribers. */
export interface IncomingContent {
  readonly name: CollectionName;
  /** Absent for a message without one. */
  readonly id?: string;
  /** The whole new content; for an update the stored document with the changes merged in. */
  readonly source: JsonObject;
  /** The body of an update; absent for creations and replacements. */
  readonly changes?: JsonObject;
}

/** What `document.validate` answers. */
export interface ValidationReport {
  readonly valid: boolean;
  readonly errorMessages: JsonObject;
}

/**
 * The one seam where validation specifications act: every write path (create, replace, update, bulk lines, mX) asks
 * `admit` for the content to store, once per document and with the final content. Synchronous, as bulk import calls it
 * for thousands of lines: specifications are at hand before.
 */
export interface ContentRules {
  /** @returns what to store: `source`, or a copy with defaults filled in. @throws a registered error (400) */
  admit(content: IncomingContent): JsonObject;
  /** Checks a document or message without storing it. */
  report(name: CollectionName, source: JsonObject): ValidationReport;
}

/** The rules of this server: `NO_SPECIFICATIONS` where nothing is registered. */
export const CONTENT_RULES: InjectionToken<ContentRules> = Symbol.for('millrace.ContentRules');

/** A collection without specification accepts every document (VALID-3). */
export const NO_SPECIFICATIONS: ContentRules = {
  admit: ({ source }) => source,
  report: () => ({ valid: true, errorMessages: {} }),
};
