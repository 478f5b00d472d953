/*
 * What pages show: documents as they will be once all writes are sent. A write that was sent is shown for 5 s more, since
 * searches and subscriptions return it a moment later.
 */
import { unref } from '../realtime/unref.js';
import { isObject } from './isObject.js';
import type { DocumentState, OfflineDocument, ShownDocument } from './OfflineDocument.js';
import type { DocumentAddress, OutboxEntry } from './OutboxEntry.js';
import type { WrittenDocument } from './OutboxStore.js';

const SHOWN_AFTER_MS = 5_000;
const SYNCED: DocumentState = { state: 'synced' };

/** The address of a collection. */
export type CollectionAddress = Omit<DocumentAddress, 'id'>;

/** A document that is shown, and whether it is sent. */
export type OverlaidDocument = ShownDocument<unknown> & DocumentState;

/** The documents with unsent writes of the present user. */
export class Drafts {
  readonly #entries: () => readonly OutboxEntry[];
  readonly #listeners = new Set<() => void>();
  readonly #written = new Map<string, WrittenDocument>();
  /** The writes of each document, the oldest first. */
  #drafts: ReadonlyMap<string, readonly OutboxEntry[]> | undefined;
  readonly #lists = new Map<string, readonly OfflineDocument<unknown>[]>();

  /** @param entries returns the writes of the present user, the oldest first */
  constructor(entries: () => readonly OutboxEntry[]) {
    this.#entries = entries;
  }

  /** The documents with unsent writes of a collection, or of all; the same list until it changes. */
  list(at?: CollectionAddress): readonly OfflineDocument<unknown>[] {
    const key = at === undefined ? '' : keyOf(at);
    let list = this.#lists.get(key);
    if (list === undefined) {
      list = [...this.#all().values()].flatMap((entries) => {
        const [{ index, collection, id, base }] = entries as readonly [OutboxEntry];
        if (at !== undefined && keyOf({ index, collection }) !== key) return [];
        return { index, collection, id, source: outcome(base, entries), ...stateOf(entries) };
      });
      this.#lists.set(key, list);
    }
    return list;
  }

  state(at: DocumentAddress): DocumentState {
    return stateOf(this.#all().get(keyOf(at)));
  }

  /** A document with its writes applied; null if it is absent then. */
  one(at: DocumentAddress, document: ShownDocument<unknown> | null): OverlaidDocument | null {
    const { id } = at;
    const entries = this.#all().get(keyOf(at));
    const written = this.#written.get(keyOf(at));
    const isKnown = written === undefined || (document?.version ?? 0) >= (written.version ?? Infinity);
    const shown = isKnown ? document : { ...document, version: written.version!, source: written.source };
    const source = entries === undefined ? shown?.source : outcome(shown?.source ?? entries[0]?.base, entries);
    return source === undefined || source === null ? null : { ...shown, id, source, ...stateOf(entries) };
  }

  /** Documents with the writes of their collection applied, and behind them those that are new. */
  overlay(at: CollectionAddress, documents: readonly ShownDocument<unknown>[]): readonly OverlaidDocument[] {
    const shown = new Map(documents.map((each) => [each.id, this.one({ ...at, ...each }, each)]));
    const created = [...this.#all().values()].flatMap(([entry]) => (entry?.action === 'create' ? entry : []));
    const written = [...this.#written.values()].filter(({ isNew }) => isNew);
    for (const { index, collection, id } of [...written, ...created]) {
      if (index !== at.index || collection !== at.collection || shown.has(id)) continue;
      shown.set(id, this.one({ ...at, id }, null));
    }
    return [...shown.values()].filter((each) => each !== null);
  }

  /** Returns the function that ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A document was written. */
  written(document: WrittenDocument): void {
    const key = keyOf(document);
    const isNew = document.isNew || this.#written.get(key)?.isNew === true;
    const kept = { ...document, isNew };
    this.#written.set(key, kept);
    const forget = () => {
      if (this.#written.get(key) !== kept) return;
      this.#written.delete(key);
      this.changed();
    };
    unref(setTimeout(forget, SHOWN_AFTER_MS));
  }

  /** Another user is here. */
  forget(): void {
    this.#written.clear();
  }

  changed(): void {
    this.#drafts = undefined;
    this.#lists.clear();
    for (const listener of this.#listeners) listener();
  }

  #all(): ReadonlyMap<string, readonly OutboxEntry[]> {
    if (this.#drafts === undefined) {
      const drafts = new Map<string, OutboxEntry[]>();
      for (const entry of this.#entries()) {
        const entries = drafts.get(keyOf(entry));
        if (entries === undefined) drafts.set(keyOf(entry), [entry]);
        else entries.push(entry);
      }
      this.#drafts = drafts;
    }
    return this.#drafts;
  }
}

/** Names a document; without an id, a collection. */
export function keyOf({ index, collection, id }: CollectionAddress & { readonly id?: string }): string {
  return JSON.stringify([index, collection, id]);
}

function stateOf(entries: readonly OutboxEntry[] | undefined): DocumentState {
  if (entries === undefined) return SYNCED;
  const error = entries.find((each) => each.error !== undefined)?.error;
  return error === undefined ? { state: 'pending' } : { state: 'failed', error };
}

/** Content after some writes; null if the document is deleted then. */
function outcome(source: unknown, entries: readonly OutboxEntry[]): unknown {
  return entries.reduce((present, entry) => contentAfter(present, entry), source);
}

/** Content after a write, as the server makes it; null: the document is deleted. */
export function contentAfter(source: unknown, { action, body }: OutboxEntry): unknown {
  if (action === 'delete') return null;
  return action === 'update' ? applyChanges(source, body) : body;
}

/** Content after an update, as the server makes it: objects are merged, lists and other values replaced. */
function applyChanges(source: unknown, changes: unknown): unknown {
  if (!isObject(source) || !isObject(changes)) return changes;
  const result = { ...source };
  for (const [name, change] of Object.entries(changes)) {
    result[name] = applyChanges(source[name], change);
  }
  return result;
}
