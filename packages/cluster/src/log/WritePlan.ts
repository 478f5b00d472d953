/* How a write that is recorded is made: what it changes is read, and it is made only on that. */
import {
  documentErrors,
  MillraceError,
  storageErrors,
  toCollectionKey,
  toDocumentKey,
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
  async prepare(
    operations: readonly WriteOperation[],
    positions: readonly number[],
  ): Promise<readonly Attempt[]> {
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
    const befores = new Map<number, StoredDocument>();
    const unknown = new Map<string, number[]>();
    for (const position of positions) {
      const { index, collection, condition, known } = operations[position] as WriteOperation;
      if (known !== undefined && (known === null || condition === known.version)) {
        if (known !== null) befores.set(position, known);
      } else if (condition !== 'absent' && this.isRecorded({ index, collection })) {
        const key = toCollectionKey({ index, collection });
        unknown.set(key, [...(unknown.get(key) ?? []), position]);
      }
    }
    for (const own of unknown.values()) {
      const ids = own.map((position) => (operations[position] as WriteOperation).id);
      const { index, collection } = operations[own[0] as number] as WriteOperation;
      const documents = await this.readMany({ index, collection }, ids);
      documents.forEach((document, i) => {
        if (document !== null) befores.set(own[i] as number, document);
      });
    }
    return befores;
  }

  /** None of an absent collection: its writes report that. */
  private async readMany(name: CollectionName, ids: readonly string[]) {
    try {
      return await this.engine.readMany(name, ids);
    } catch (error) {
      const absences: readonly string[] = [storageErrors.collection_not_found.id, storageErrors.index_not_found.id]; // prettier-ignore
      if (error instanceof MillraceError && absences.includes(error.id)) return [];
      throw error;
    }
  }
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

/** Positions in order, cut before a document's second write, which builds on the result of the first one. */
export function* runsOfDistinctDocuments(
  operations: readonly WriteOperation[],
): Iterable<readonly number[]> {
  let positions: number[] = [];
  let seen = new Set<string>();
  for (const [position, operation] of operations.entries()) {
    const key = toDocumentKey(operation, operation.id);
    if (seen.has(key)) {
      yield positions;
      positions = [];
      seen = new Set();
    }
    seen.add(key);
    positions.push(position);
  }
  if (positions.length > 0) yield positions;
}
