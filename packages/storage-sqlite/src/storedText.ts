import { crc32 } from 'node:zlib';
import { NO_DOCUMENT_METADATA, type DocumentMetadata, type StoredText, type WriteStamp } from '@millrace/kernel';

/*
 * Column `j` of a document: its metadata, a line feed, and its JSON. For documents without metadata (of the service's
 * internal collections, and from before format 2) it is the JSON alone, which begins with `{`.
 *
 * Metadata is a stamp, and after a change a tab and a second stamp. A stamp is a time in milliseconds in base 36 and,
 * unless the user was anonymous, a colon and the user's id: `mf3k1x7q:alice<tab>mf3k9a02`. Ids have no control
 * characters. The first stamp is empty if a document without metadata was changed. This takes 9 bytes and one or two
 * ids per document.
 *
 * A separate column would have to be added to each table: SQLite re-reads the whole schema for each of them, which took
 * 6 s for 1,000 collections and 96 s for 3,000 (docs/decisions/0019-document-metadata.md).
 */

const BEGIN_OBJECT = 123;
const NO_METADATA = '';
const NO_STAMP = { atMs: null, userId: null };

/** SQL: the metadata in column `j`, as `StoredParts.packed`. */
export const PACKED_METADATA_SQL = `CASE WHEN substr(j, 1, 1) = '{' THEN '' ELSE substr(j, 1, instr(j, char(10)) - 1) END`;

/** The parts of column `j`. */
interface StoredParts {
  /** Metadata in stored form; empty if there is none. */
  readonly packed: string;
  readonly json: string;
}

export function splitStored(stored: string): StoredParts {
  if (stored.charCodeAt(0) === BEGIN_OBJECT) return { packed: NO_METADATA, json: stored };
  const end = stored.indexOf('\n');
  return { packed: stored.slice(0, end), json: stored.slice(end + 1) };
}

/** A document from the columns of its row; undefined if the row is damaged. */
export function readDocumentRow(
  id: string,
  version: number,
  checksum: unknown,
  stored: string,
): StoredText | undefined {
  if (rowChecksum(version, id, stored) !== checksum) return undefined;
  const { packed, json } = splitStored(stored);
  return { id, version, json, meta: unpackMetadata(packed) };
}

/** The inverse of `splitStored`. */
export function joinStored(packed: string, json: string): string {
  return packed === NO_METADATA ? json : `${packed}\n${json}`;
}

/** The metadata of a created document, in stored form. */
export function packStamp({ atMs, userId }: WriteStamp): string {
  const time = atMs.toString(36);
  return userId === null ? time : `${time}:${userId}`;
}

/** The metadata of a replaced document, in stored form. @param before the metadata before the replacement */
export function packChange(before: string, stamp: string): string {
  const tab = before.indexOf('\t');
  return `${tab === -1 ? before : before.slice(0, tab)}\t${stamp}`;
}

/** The inverse of `unpackMetadata`. */
export function packMetadata(meta: DocumentMetadata): string {
  const { createdAt, updatedAt, author, updater } = meta;
  const created = createdAt === null ? '' : packStamp({ atMs: createdAt, userId: author });
  if (updatedAt === null) return created;
  return packChange(created, packStamp({ atMs: updatedAt, userId: updater }));
}

export function unpackMetadata(packed: string): DocumentMetadata {
  if (packed === NO_METADATA) return NO_DOCUMENT_METADATA;
  const tab = packed.indexOf('\t');
  const created = unpackStamp(tab === -1 ? packed : packed.slice(0, tab));
  const updated = unpackStamp(tab === -1 ? '' : packed.slice(tab + 1));
  return {
    createdAt: created.atMs,
    updatedAt: updated.atMs,
    author: created.userId,
    updater: updated.userId,
  };
}

/** As `unpackMetadata`, as JSON text. */
export function writeMetadata(packed: string): string {
  const { createdAt, updatedAt, author, updater } = unpackMetadata(packed);
  const names = `"author":${nameText(author)},"updater":${nameText(updater)}`;
  return `{"createdAt":${createdAt},"updatedAt":${updatedAt},${names}}`;
}

function nameText(userId: string | null): string {
  return userId === null ? 'null' : JSON.stringify(userId);
}

function unpackStamp(stamp: string): {
  readonly atMs: number | null;
  readonly userId: string | null;
} {
  if (stamp === '') return NO_STAMP;
  const colon = stamp.indexOf(':');
  // `parseInt` stops at the colon.
  const atMs = Number.parseInt(stamp, 36);
  return { atMs, userId: colon === -1 ? null : stamp.slice(colon + 1) };
}

/**
 * The checksum in column `c` of a document's row, over all values that a reader gets from it. SQLite does not detect a
 * flipped byte inside a value; this checksum does. Unsigned 32 bits.
 * @param stored column `j`
 */
export function rowChecksum(version: number, id: string, stored: string): number {
  return crc32(`${version}:${id}:${stored}`);
}
