import { estimateJsonBytes, type DocumentChange } from '@millrace/kernel';
import type { CompiledMapping } from '@millrace/query';
import { documentScope, type DocumentScope, type IndexedDocument } from '@millrace/search';

import { toIndexed } from './toIndexed.js';

/** What a change does to a room: its document enters, changes inside or leaves. */
export type RoomEffect = 'entered' | 'stayed' | 'left';

/** A document before or after a change, indexed once for all that search it. */
export class WatchedDocument {
  private indexed: DocumentScope | undefined;

  constructor(
    readonly document: IndexedDocument,
    private readonly mapping: CompiledMapping,
  ) {}

  get scope(): DocumentScope {
    return (this.indexed ??= documentScope(this.document, this.mapping));
  }
}

/** A committed change, for those who watch rooms with a query. */
export class WatchedChange {
  readonly before: WatchedDocument | null;
  readonly after: WatchedDocument | null;
  private bytesSum: number | undefined;

  constructor(
    readonly change: DocumentChange,
    /** Of the collection; has the fields of the document. */
    readonly mapping: CompiledMapping,
  ) {
    const { id, before, after, metaBefore, metaAfter } = change;
    const watch = (source: typeof before, meta: typeof metaBefore) =>
      source && new WatchedDocument(toIndexed(id, { source, meta }), mapping);
    this.before = watch(before, metaBefore);
    this.after = watch(after, metaAfter);
  }

  /** Estimated memory of its documents. Measured once for all that keep the change. */
  get bytes(): number {
    const { before, after } = this.change;
    return (this.bytesSum ??= estimateJsonBytes(JSON.stringify([before, after])));
  }
}
