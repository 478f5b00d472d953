import { NO_DOCUMENT_METADATA } from '@millrace/kernel';
import type { IndexedDocument } from '@millrace/search';
import type { TestedImage } from './RoomTests.js';

/** A document before or after a change as seen by queries. */
export function toIndexed(id: string, { source, meta }: TestedImage): IndexedDocument {
  return { id, source, meta: meta ?? NO_DOCUMENT_METADATA };
}
