/*
 * Writes of many documents, applied in order: in waves of a limited size, each one call of the engine if no plan depends
 * on the stored documents, and no promise per item.
 */
import { EventLoopPacer, isThenable, MillraceError, SECURITY, type Request, type Security } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { STORAGE_CONFIG, type StorageConfig } from '../config.js';
import type { CommitOptions, CommittedOutcome, PlannedWrite } from '../documents/PlannedWrite.js';
import { DocumentCommits } from '../documents/DocumentCommits.js';
import { WritePlans } from '../documents/WritePlans.js';
import type { WriteGuard } from '../rights/WriteGuard.js';
import { WriteGuards } from '../rights/WriteGuards.js';
import { ITEM_ACTIONS, type BatchItem, type BatchOutcome, type BatchWrite } from './BatchItem.js';

/** Options of a batch, and its user. */
export interface BatchOptions extends CommitOptions {
  /** Each item is authorised for its user (DOC-33). */
  readonly request: Request;
}

/** One item: its position in the batch, and the write. */
interface WaveItem {
  readonly position: number;
  readonly write: BatchWrite;
}

/** An item with its write, and what limits its writer. */
interface PlannedItem {
  readonly position: number;
  readonly plan: PlannedWrite;
  readonly guard: WriteGuard | null;
}

/** A batch being written. */
interface Batch {
  readonly outcomes: BatchOutcome[];
  readonly options: BatchOptions;
  readonly pacer: EventLoopPacer;
  /** Set if a wave failed after an earlier one was written: the remaining items fail with this error. */
  failure?: MillraceError;
  hasWritten: boolean;
}

/** Writes batches. */
@scoped(Scope.ContainerScoped)
export class BatchWriter {
  constructor(
    @inject(DocumentCommits) private readonly commits: DocumentCommits,
    @inject(WritePlans) private readonly plans: WritePlans,
    @inject(WriteGuards) private readonly guards: WriteGuards,
    @inject(STORAGE_CONFIG) private readonly config: StorageConfig,
    @inject(SECURITY) private readonly security: Security,
  ) {}

  /**
   * Applies the items in order. The outcomes are independent, in the order of the items.
   * @throws storage.unavailable if nothing could be written; after the first write, it becomes the outcome of the
   *   remaining items
   */
  async write(items: readonly BatchItem[], options: BatchOptions): Promise<readonly BatchOutcome[]> {
    const outcomes = new Array<BatchOutcome>(items.length);
    const batch: Batch = { outcomes, options, pacer: new EventLoopPacer(), hasWritten: false };
    let wave: WaveItem[] = [];
    for (let position = 0; position < items.length; position++) {
      const item = items[position] as BatchItem;
      if (item instanceof MillraceError) outcomes[position] = { status: 'failed', error: item };
      else {
        if (wave.length === this.config.writeBatchSize) {
          await this.writeWave(wave, batch);
          wave = [];
        }
        wave.push({ position, write: item });
      }
      if (batch.pacer.isDue()) await batch.pacer.rest();
    }
    await this.writeWave(wave, batch);
    return outcomes;
  }

  private async writeWave(items: readonly WaveItem[], batch: Batch): Promise<void> {
    if (items.length === 0) return;
    if (batch.failure !== undefined) return failAll(items, batch.failure, batch);
    try {
      const allowed = await this.allowed(items, batch);
      await this.commit(await this.plan(allowed, batch), batch);
    } catch (error) {
      // An error that is not registered is a bug, to be logged as such.
      if (!batch.hasWritten || !(error instanceof MillraceError)) throw error;
      batch.failure = error;
      failAll(items, error, batch);
    }
  }

  /** The items that the user may write; the others get the refusal as their outcome. */
  private async allowed(items: readonly WaveItem[], batch: Batch): Promise<readonly WaveItem[]> {
    const { request } = batch.options;
    const allowed: WaveItem[] = [];
    for (const item of items) {
      const { kind, name, id, content } = item.write;
      const target = {
        controller: 'document',
        action: ITEM_ACTIONS[kind],
        ...name,
        id,
        body: content,
      };
      try {
        const decided = this.security.authorizeTarget(request, target);
        if (isThenable(decided)) await decided;
        allowed.push(item);
      } catch (error) {
        if (!(error instanceof MillraceError)) throw error;
        batch.outcomes[item.position] = { status: 'failed', error };
      }
      if (batch.pacer.isDue()) await batch.pacer.rest();
    }
    return allowed;
  }

  /** The items to write; those that content rules refuse get the refusal as their outcome. */
  private async plan(items: readonly WaveItem[], batch: Batch): Promise<readonly PlannedItem[]> {
    const { request } = batch.options;
    const planned: PlannedItem[] = [];
    for (const item of items) {
      const { kind, name, id, content } = item.write;
      const guarded = this.guards.of(request, ITEM_ACTIONS[kind], name, id, content);
      const guard = isThenable(guarded) ? await guarded : guarded;
      const { position } = item;
      try {
        planned.push({ position, plan: this.planOf(item.write, guard), guard });
      } catch (error) {
        if (!(error instanceof MillraceError)) throw error;
        batch.outcomes[position] = { status: 'failed', error };
      }
      if (batch.pacer.isDue()) await batch.pacer.rest();
    }
    return planned;
  }

  private planOf(write: BatchWrite, guard: WriteGuard | null): PlannedWrite {
    const { kind, content } = write;
    if (kind === 'delete') return this.plans.delete(write, 'present', guard);
    const source = content ?? {};
    return kind === 'update'
      ? this.plans.update(write, source, guard)
      : this.plans.put(write, source, CONDITIONS[kind], guard);
  }

  private async commit(items: readonly PlannedItem[], batch: Batch): Promise<void> {
    if (items.length === 0) return;
    const plans = items.map(({ plan }) => plan);
    const written = await this.commits.commit(plans, batch.options);
    batch.hasWritten = true;
    for (let i = 0; i < items.length; i++) {
      const item = items[i] as PlannedItem;
      batch.outcomes[item.position] = toBatchOutcome(item, written[i] as CommittedOutcome);
      if (batch.pacer.isDue()) await batch.pacer.rest();
    }
  }
}

const CONDITIONS = { create: 'absent', index: 'any', replace: 'present' } as const;

function toBatchOutcome({ plan, guard }: PlannedItem, outcome: CommittedOutcome): BatchOutcome {
  if (outcome.status === 'failed') return outcome;
  const { status, version } = outcome;
  if (status === 'deleted') return { status, version, source: null, meta: null };
  const { meta } = outcome;
  const planned = plan.kind === 'put' ? plan.source : {};
  const source = outcome.source ?? planned;
  if (guard === null) return { status, version, source, meta };
  const shown = guard.shown({ id: plan.id, version, source, meta });
  return { status, version, source: shown.source, meta };
}

function failAll(items: readonly WaveItem[], error: MillraceError, { outcomes }: Batch): void {
  for (const { position } of items) outcomes[position] = { status: 'failed', error };
}
