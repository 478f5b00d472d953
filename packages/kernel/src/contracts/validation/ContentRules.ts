import type { InjectionToken } from 'tsyringe';
import type { JsonObject } from '../../json/Json.js';
import type { CollectionName } from '../storage/StorageEngine.js';

/** Content to be stored, or to be published to subscribers. */
export interface IncomingContent {
  readonly name: CollectionName;
  /** Absent for a message without an id. */
  readonly id?: string;
  /** The complete new content; for an update, the stored document with the changes merged in. */
  readonly source: JsonObject;
  /** The body of an update; absent for creations and replacements. */
  readonly changes?: JsonObject;
}

/** The result of `document.validate`. */
export interface ValidationReport {
  readonly valid: boolean;
  readonly errorMessages: JsonObject;
}

/**
 * The one place where validation specifications are applied: every write path (create, replace, update, bulk lines, mX)
 * calls `admit` to get the content to store, once per document and with the final content. Synchronous, since bulk
 * import calls it for thousands of lines: specifications are loaded beforehand.
 */
export interface ContentRules {
  /** @returns the content to store: `source`, or a copy with defaults filled in. @throws a registered error (400) */
  admit(content: IncomingContent): JsonObject;
  /** Checks a document or message without storing it. */
  report(name: CollectionName, source: JsonObject): ValidationReport;
}

/** The rules of this server: `NO_SPECIFICATIONS` if none are registered. */
export const CONTENT_RULES: InjectionToken<ContentRules> = Symbol.for('millrace.ContentRules');

/** A collection without a specification accepts every document (VALID-3). */
export const NO_SPECIFICATIONS: ContentRules = {
  admit: ({ source }) => source,
  report: () => ({ valid: true, errorMessages: {} }),
};
