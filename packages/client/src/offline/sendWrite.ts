/*
 * What the answer to a write means:
 *
 *   executed                                     → the write is removed
 *   no answer, 408, 429, 502–504, still running  → it is sent again later, with the same key
 *   another version, or deleted meanwhile        → the policy decides; another write may take its place
 *   any other error                              → it has failed; those behind it of the same document wait
 */
import { toDocument, type WireDocument } from '../collection/Document.js';
import { isError } from '../errors/MillraceError.js';
import { contentAfter } from './Drafts.js';
import { isSame } from './mergeContent.js';
import type { OutboxEntry, OutboxWrite } from './OutboxEntry.js';
import type { Written } from './OutboxStore.js';
import { resolveConflict } from './resolveConflict.js';
import type { SenderContext } from './Sender.js';

const DELETED: Written = { source: null };

/** `ended`: the session has expired. A number: the write waits, at least for so many milliseconds. */
export type Outcome = 'done' | 'ended' | number;

/** Sends one write and notes what became of it. @throws what the store throws */
export async function sendWrite(entry: OutboxEntry, token: string | null, context: SenderContext): Promise<Outcome> {
  try {
    await settle(entry, token, context);
    return 'done';
  } catch (error) {
    if (!isError(error)) return 0;
    if (error.isRetryable) return error.retryAfterMs ?? 0;
    if (token !== null && isError(error, 'auth.token_expired', 'auth.invalid_token')) {
      return (await context.client.session.replace(token)) === null ? 'ended' : 0;
    }
    const { id, status, message } = error;
    await context.outbox.fail(entry, { id, status, message });
    return 'done';
  }
}

async function settle(entry: OutboxEntry, token: string | null, context: SenderContext): Promise<void> {
  const { index, collection, id, action, body, ifVersion, key } = entry;
  const { client, outbox } = context;
  const documents = client.collection(index, collection);
  const options = { token, retries: 0 };
  const message = { controller: 'document', action, index, collection, _id: id, body, ifVersion };
  try {
    const { result } = await documents.send(message, { ...options, idempotencyKey: key });
    const written = toDocument(result as unknown as WireDocument);
    await outbox.done(entry, action === 'delete' ? DELETED : written);
  } catch (error) {
    const isExecuted = isError(error, 'idempotency.answer_not_kept');
    const isAbsent = isError(error, 'document.not_found');
    const isThere = isError(error, 'document.already_exists');
    const isConflict = ifVersion !== undefined && (isAbsent || isError(error, 'document.version_conflict'));
    if (isAbsent && action === 'delete') return outbox.done(entry, DELETED);
    if (!isExecuted && !isThere && !isConflict) throw error;
    const theirs: Written = (await documents.get(id, options)) ?? DELETED;
    if (isConflict) return decide(entry, theirs, context, error);
    // An earlier attempt may have created it, and its answer is no longer kept.
    if (isThere && entry.hasOwnId !== true && !isSame(theirs.source, body)) throw error;
    await outbox.done(entry, theirs);
  }
}

/** Resolves a conflict: nothing is left to write, or another write takes the place of this one. */
async function decide(
  entry: OutboxEntry,
  theirs: Written,
  { outbox, policyOf, onConflict }: SenderContext,
  refusal: Error,
): Promise<void> {
  const { index, collection, id, base = null } = entry;
  const mine = contentAfter(base, entry);
  const seen = { source: mine };
  // It was executed and its answer is no longer kept, or another client has made the same change.
  if (isSame(mine, theirs.source)) return outbox.done(entry, theirs);
  const at = { index, collection, id, base, mine, theirs: theirs.source };
  const conflict = await resolveConflict(policyOf(entry), at).catch((reason: Error) => {
    // The write fails with what the policy says.
    throw Object.assign(refusal, { message: reason.message });
  });
  onConflict(conflict);
  const { result } = conflict;
  if (isSame(result, theirs.source)) return outbox.done(entry, theirs, seen);
  const { version: ifVersion, source } = theirs;
  let action: OutboxWrite['action'] = source === null ? 'create' : 'replace';
  if (result === null) action = 'delete';
  await outbox.replace(entry, { action, body: result, ifVersion, base: source }, seen);
}
