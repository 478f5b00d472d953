import { mergeContent } from './mergeContent.js';
import type { DocumentAddress } from './OutboxEntry.js';

/**
 * What happens to a write of a document that another client has changed or deleted meanwhile:
 *
 * - `server`: the write is dropped.
 * - `client`: the write wins; other changes are overwritten.
 * - `merge`: fields that one side has changed are taken from that side. Where both have, and where one side has deleted
 *   the document, the server's state wins.
 * - a function: returns the content to write; null deletes the document.
 *
 * A null content means that the document is, or is to be, deleted.
 */
export type ConflictPolicy =
  'server' | 'client' | 'merge' | ((base: unknown, mine: unknown, theirs: unknown, at: DocumentAddress) => unknown);

/** A write that met a change of another client, and what came of it. Null contents: the document is deleted. */
export interface Conflict extends DocumentAddress {
  /** The content that the writer has seen. */
  readonly base: unknown;
  /** What the writer wanted. */
  readonly mine: unknown;
  /** The content on the server. */
  readonly theirs: unknown;
  /** What is written; equal to `theirs`: nothing. */
  readonly result: unknown;
  /** Paths of the fields of `mine` that were not taken; `''`: the whole document. */
  readonly lost: readonly string[];
}

/** Decides by a policy. @throws what a policy that is a function throws */
export async function resolveConflict(
  policy: ConflictPolicy,
  met: Omit<Conflict, 'result' | 'lost'>,
): Promise<Conflict> {
  const { base, mine, theirs } = met;
  if (policy === 'merge' && mine !== null && theirs !== null) {
    return { ...met, ...mergeContent(base, mine, theirs) };
  }
  let result = policy === 'client' ? mine : theirs;
  if (typeof policy === 'function') result = await policy(base, mine, theirs, met);
  return { ...met, result, lost: result === theirs ? [''] : [] };
}
