/*
 * One writer's right to documents (SEC-87): which documents exist for the writer, which fields may be changed, what a
 * document must be after the write, and what the answer shows.
 */
import {
  documentErrors,
  type MillraceError,
  securityErrors,
  type CollectionName,
  type DocumentGrant,
  type DocumentMetadata,
  type DocumentRight,
  type JsonObject,
  type StoredDocument,
  type StoredText,
} from '@millrace/kernel';
import { complementOf, intersectionOf, selectFields, type FieldSet } from '@millrace/query';
import type { DocumentTest } from '@millrace/search';
import { changedField, replaceVisible } from './replaceVisible.js';

/** The content of a document after a write. */
export interface PermittedContent {
  readonly id: string;
  readonly source: JsonObject;
  readonly meta: DocumentMetadata;
}

/** Guards the writes of one request to one collection by one action. */
export class WriteGuard {
  constructor(
    private readonly action: string,
    private readonly name: CollectionName,
    /** The right to write; null: every document, all fields. */
    private readonly right: DocumentRight | null,
    private readonly writing: DocumentTest,
    /** Applies what the answer may show and a replacement may remove; null: everything. */
    private readonly reading: DocumentTest | null,
  ) {}

  /** Whether a stored document exists for the writer. */
  sees(stored: StoredDocument): boolean {
    return this.right === null || this.writing.covering(stored).length > 0;
  }

  /** @throws document.not_found (404) for a document that doesn't exist for the writer */
  assertSees(stored: StoredDocument): void {
    const { name } = this;
    if (!this.sees(stored)) throw documentErrors.not_found({ ...name, id: stored.id });
  }

  /** @throws security.field_not_writable (403) */
  assertCreation(id: string, source: JsonObject, meta: DocumentMetadata): void {
    this.assertFields(null, { id, source, meta }, source);
  }

  /** The content of a replacement. @throws security.field_not_writable (403) */
  replacement(stored: StoredDocument, sent: JsonObject): JsonObject {
    const sets = [this.readable(stored), this.writing.fieldsOf(this.covering(stored))];
    const own = sets.filter((set) => set !== null);
    const source = own.length === 0 ? sent : replaceVisible(stored.source, sent, complementOf(intersectionOf(own)));
    this.assertFields(stored, { ...stored, source }, sent);
    return source;
  }

  /** @param merged the content after the update @throws security.field_not_writable (403) */
  assertUpdate(stored: StoredDocument, changes: JsonObject, merged: JsonObject): void {
    this.assertFields(stored, { ...stored, source: merged }, changes);
  }

  /** The error that refuses the content of a document after the write; null if it is permitted. */
  refusal(before: StoredDocument | null, after: PermittedContent): MillraceError | null {
    const { right, writing, action } = this;
    if (right === null) return null;
    const grants = before === null ? right.grants : writing.covering(before);
    if (writing.passing(after, grants).length > 0) return null;
    return securityErrors.document_refused({ id: after.id, action });
  }

  /** The document with the content that the writer may see. */
  shown<T extends StoredDocument>(document: T): T {
    const fields = this.readable(document);
    return fields === null ? document : { ...document, source: selectFields(document.source, fields) };
  }

  /** As `shown`, as JSON text; null for a document that doesn't exist for the writer. */
  shownText(text: StoredText): StoredText | null {
    const stored = { ...text, source: JSON.parse(text.json) as JsonObject };
    if (!this.sees(stored)) return null;
    return { ...text, json: JSON.stringify(this.shown(stored).source) };
  }

  private covering(stored: StoredDocument): readonly DocumentGrant[] {
    const { right, writing } = this;
    return right === null ? [UNLIMITED] : writing.covering(stored);
  }

  /** The fields of a document that the writer may see; null: all. */
  private readable(document: PermittedContent): FieldSet | null {
    const { reading } = this;
    return reading === null ? null : reading.fieldsOf(reading.covering(document));
  }

  private assertFields(before: StoredDocument | null, after: PermittedContent, sent: JsonObject): void {
    const { right, writing } = this;
    if (right === null) return;
    const grants = before === null ? right.grants : writing.covering(before);
    const passing = writing.passing(after, grants);
    const writable = writing.fieldsOf(passing.length === 0 ? grants : passing);
    if (writable === null) return;
    const forbidden = complementOf(writable);
    const changed = changedField(before?.source ?? {}, after.source, forbidden);
    if (changed !== undefined) throw securityErrors.field_not_writable({ field: changed });
    // Sending the stored value of a hidden field changes nothing, and would tell that it was guessed.
    const readable = before === null ? null : this.readable(before);
    if (readable === null) return;
    const hidden = intersectionOf([forbidden, complementOf(readable)]);
    const named = changedField({}, sent, hidden);
    if (named !== undefined) throw securityErrors.field_not_writable({ field: named });
  }
}

const UNLIMITED: DocumentGrant = { documents: null, check: null, fields: null };
