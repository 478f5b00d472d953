import type { Document } from '@millrace/client';
import type { LiveState } from './LiveView.js';
import { useView } from './useView.js';
import { documentView, type LiveCollection } from './views.js';

/** A document that stays up to date; `data` is null if it is absent. */
export function useDocument<T>(collection: LiveCollection<T>, id: string): LiveState<Document<T> | null> {
  return useView(documentView(collection, id));
}

/** Reads a document on a server, for `dehydrate`. */
export function prefetchDocument<T>(collection: LiveCollection<T>, id: string): Promise<void> {
  return documentView(collection, id).prefetch();
}
