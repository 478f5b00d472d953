import { isThenable, MillraceError, type Request } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { CommitOptions } from '../documents/CommitOptions.js';
import { DocumentStore } from '../documents/DocumentStore.js';
import { DocumentUpdates } from '../documents/DocumentUpdates.js';
import { WriteGuards } from '../rights/WriteGuards.js';
import { ITEM_ACTIONS, type BatchOutcome, type BatchWrite } from './BatchItem.js';
import type { WaveItem } from './Wave.js';

/** The batch of some items. */
interface GuardedBatch {
  readonly outcomes: BatchOutcome[];
  readonly options: CommitOptions & { readonly request: Request };
  hasWritten: boolean;
}

/** Writes the items of batches whose writer is limited to some documents or fields, one after the other. */
@scoped(Scope.ContainerScoped)
export class GuardedItems {
  constructor(
    @inject(WriteGuards) private readonly guards: WriteGuards,
    @inject(DocumentStore) private readonly documents: DocumentStore,
    @inject(DocumentUpdates) private readonly updates: DocumentUpdates,
  ) {}

  /**
   * Writes all items if the writer is limited in one of them, so that they are applied in order.
   * @returns the items left to write: all or none
   */
  async write(items: readonly WaveItem[], batch: GuardedBatch): Promise<readonly WaveItem[]> {
    if (!(await this.isLimited(items, batch))) return items;
    for (const { position, write } of items) {
      batch.outcomes[position] = await this.writeOne(write, batch);
      batch.hasWritten = true;
    }
    return [];
  }

  private async isLimited(
    items: readonly WaveItem[],
    { options: { request } }: GuardedBatch,
  ): Promise<boolean> {
    for (const { write } of items) {
      const { kind, name, id, content } = write;
      const guard = this.guards.of(request, ITEM_ACTIONS[kind], name, id, content ?? null);
      if ((isThenable(guard) ? await guard : guard) !== null) return true;
    }
    return false;
  }

  private async writeOne(
    { kind, name, id, content }: BatchWrite,
    { options }: GuardedBatch,
  ): Promise<BatchOutcome> {
    const base = { ...options, name, id, action: ITEM_ACTIONS[kind] };
    const source = content ?? {};
    try {
      switch (kind) {
        case 'delete': {
          const version = await this.documents.delete(name, id, base);
          return { status: 'deleted', version, source: null, meta: null };
        }
        case 'update': {
          const {
            version,
            source: after,
            meta,
          } = await this.updates.update({ ...base, changes: source });
          return { status: 'replaced', version, source: after, meta };
        }
        default: {
          const put = { create: 'create', index: 'createOrReplace', replace: 'replace' } as const;
          const written = await this.documents[put[kind]]({ ...base, source });
          const { version, source: after, meta, isNew } = written;
          return { status: isNew ? 'created' : 'replaced', version, source: after, meta };
        }
      }
    } catch (error) {
      if (error instanceof MillraceError) return { status: 'failed', error };
      throw error;
    }
  }
}
