/* Plans a recorded write: its documents are read, and it is made on condition that they are unchanged. */
import {
  documentErrors,
  readStored,
  type CollectionName,
  type DocumentImage,
  type StorageEngine,
  type StoredDocument,
  type WriteOperation,
  type WriteOutcome,
} from '@millrace/kernel';
import type { ChangeBody } from './logMessages.js';

/** One write of a call. */
export interface Attempt {
  readonly position: number;
  readonly isRecorded: boolean;
  readonly before: DocumentImage | null;
  readonly planned: WriteOperation;
  readonly conditional: WriteOperation;
}

/** Plans writes. */
export class WritePlan {
  constructor(
    private readonly engine: StorageEngine,
    private readonly isRecorded: (name: CollectionName) => boolean,
  ) {}

  /** The writes to make, on the condition that their documents are as they were read. */
  async prepare(operations: readonly WriteOperation[], positions: readonly number[]): Promise<readonly Attempt[]> {
    const befores = await this.readBefore(operations, positions);
    return positions.map((position) => {
      const planned = plain(operations[position] as WriteOperation);
      const isRecorded = this.isRecorded(planned);
      const read = befores.get(position) ?? null;
      const before = planned.condition === 'absent' ? null : read && toImage(read);
      const conditional = isRecorded ? toConditional(planned, before) : planned;
      return { position, planned, conditional, before, isRecorded };
    });
  }

  /** By position; none for absent documents. */
  private async readBefore(
    operations: readonly WriteOperation[],
    positions: readonly number[],
  ): Promise<ReadonlyMap<number, StoredDocument>> {
    const unknown = positions.filter((position) => {
      const operation = operations[position] as WriteOperation;
      const isNeeded = operation.condition !== 'absent' && this.isRecorded(operation);
      return isNeeded && !isKnown(operation);
    });
    const befores = await readStored(this.engine, operations, unknown);
    for (const position of positions) {
      const operation = operations[position] as WriteOperation;
      if (isKnown(operation) && operation.known !== null) befores.set(position, operation.known);
    }
    return befores;
  }
}

/** Whether the caller has read the document, in the version on which the write depends. */
function isKnown(operation: WriteOperation): operation is WriteOperation & { readonly known: StoredDocument | null } {
  const { known, condition } = operation;
  return known !== undefined && (known === null || condition === known.version);
}

/** The operation without its hint. */
export function plain(operation: WriteOperation): WriteOperation {
  if (operation.known === undefined) return operation;
  const { known: _, ...rest } = operation;
  return rest;
}

function toImage({ source, meta, version }: StoredDocument): DocumentImage {
  return { source, meta, version };
}

/** The recorded change of a successful write. */
export function toChange(
  { planned, before, isRecorded }: Attempt,
  outcome: WriteOutcome,
  about: Pick<ChangeBody, 'atMs' | 'origin' | 'isSilent'>,
): ChangeBody | undefined {
  if (!isRecorded || outcome.status === 'failed') return undefined;
  const { id } = planned;
  if (outcome.status === 'deleted' || planned.kind === 'delete') {
    return before === null ? undefined : { id, before, after: null, ...about };
  }
  const { version } = outcome;
  const { meta } = outcome;
  return { id, before, after: { source: planned.source, meta, version }, ...about };
}

/** Narrows a condition to the version that was read. No document has version 0. */
function toConditional(operation: WriteOperation, before: DocumentImage | null): WriteOperation {
  const { condition } = operation;
  if (typeof condition === 'number' || condition === 'absent') return operation;
  if (before !== null) return { ...operation, condition: before.version };
  if (operation.kind === 'put' && condition === 'any') return { ...operation, condition: 'absent' };
  return { ...operation, condition: 0 };
}

/** True if the write failed only because of the narrower condition. */
export function lostRace({ planned, conditional }: Attempt, outcome: WriteOutcome): boolean {
  if (outcome.status !== 'failed' || planned === conditional) return false;
  const { id } = outcome.error;
  if (id === documentErrors.not_found.id) return conditional.condition !== 0;
  return id === documentErrors.version_conflict.id || id === documentErrors.already_exists.id;
}
