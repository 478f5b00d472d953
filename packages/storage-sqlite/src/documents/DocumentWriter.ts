import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  coreErrors,
  documentErrors,
  MillraceError,
  storageErrors,
  type ChangeOrigin,
  type DocumentCopy,
  type JsonObject,
  type WriteCondition,
  type WriteOperation,
  type WriteOutcome,
  type WriteStamp,
} from '@millrace/kernel';
import { DocumentError, MappingError } from '@millrace/query';
import type { Catalog } from '../catalog/Catalog.js';
import type { Collection } from '../catalog/CollectionMapping.js';
import type { RecordedCollections } from '../changeLog/RecordedCollections.js';
import type { IntegrityWatch } from '../integrity/IntegrityWatch.js';
import { isStorableText } from '../isStorableText.js';
import { CONDITION } from '../writer/WriteCode.js';
import type { WriterThread } from '../writer/WriterThread.js';
import { packMetadata } from '../storedText.js';
import { WriteCall } from './WriteCall.js';

/** Operations checked and serialized in one turn of the event loop: some 20 ms. */
const OPERATIONS_PER_TURN = 2_000;
const CHARS_PER_TURN = 1_048_576;

/** The metadata of a write in stored form; that of a copied document is complete, and has a version. */
interface Copied {
  readonly stamp: string;
  readonly copied?: number | undefined;
}

/**
 * The main thread's half of a write: checks each document against its mapping, serializes it, and passes it to the
 * writer. The writer decides about existence and versions.
 */
export class DocumentWriter {
  /** Writes that are sent in several turns of the event loop. */
  private readonly spread = new Set<Promise<unknown>>();

  constructor(
    private readonly catalog: Catalog,
    private readonly writer: WriterThread,
    private readonly integrity: IntegrityWatch,
    private readonly log: RecordedCollections,
    /** Called with each collection that was written to. */
    private readonly onWrite: (collection: Collection) => void,
  ) {}

  /** Applies the operations in their order. @throws storage.unavailable if none of them could be written */
  async write(
    operations: readonly WriteOperation[],
    stamp?: WriteStamp,
    origin?: ChangeOrigin | null,
  ): Promise<readonly WriteOutcome[]> {
    if (operations.length === 0) return [];
    const call = new WriteCall(operations, this.log.epoch, stamp, origin);
    let turnStart = 0;
    let chars = 0;
    for (let position = 0; position < operations.length; position += 1) {
      if (position - turnStart >= OPERATIONS_PER_TURN || chars >= CHARS_PER_TURN) {
        this.spread.add(call.done);
        await nextTurn();
        turnStart = position;
        chars = 0;
      }
      chars += this.send(operations[position] as WriteOperation, call, position);
    }
    this.writer.nudge();
    if (turnStart === 0) return call.done;
    return call.done.finally(() => this.spread.delete(call.done));
  }

  /** Resolves when all writes that have begun have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.spread);
    await this.writer.submit({ type: 'ping' });
  }

  /**
   * Stores documents as they are in another engine, in one turn. @throws storage.unavailable if none could be written
   */
  async copy(copies: readonly DocumentCopy[]): Promise<readonly WriteOutcome[]> {
    if (copies.length === 0) return [];
    const operations = copies.map(toOperation);
    const call = new WriteCall(operations, this.log.epoch);
    copies.forEach(({ document }, position) => {
      const stamp = document === null ? '' : packMetadata(document.meta);
      const operation = operations[position] as WriteOperation;
      this.send(operation, call, position, { stamp, copied: document?.version });
    });
    this.writer.nudge();
    return call.done;
  }

  /** @returns the number of serialized characters of JSON */
  private send(
    operation: WriteOperation,
    call: WriteCall,
    position: number,
    { stamp, copied }: Copied = { stamp: call.packedStamp },
  ): number {
    const collection = this.catalog.find(operation);
    if (collection === undefined) {
      const { index, collection: name } = operation;
      call.failed(position, storageErrors.collection_not_found({ index, collection: name }));
      return 0;
    }
    let json: string | null;
    try {
      json = this.admit(collection, operation);
    } catch (error) {
      call.failed(position, toOperationError(error));
      return 0;
    }
    const condition = toCondition(operation.condition);
    const { id } = operation;
    const origin = this.log.mayRecord(collection.name) ? call.packedOrigin : '';
    const { number: collectionNumber } = collection;
    this.writer.write({ collectionNumber, id, json, condition, stamp, origin, copied }, call, position);
    this.onWrite(collection);
    return json === null ? 0 : json.length;
  }

  /** @returns the JSON text to store, null for a delete */
  private admit(collection: Collection, operation: WriteOperation): string | null {
    if (!isStorableText(operation.id)) {
      throw documentErrors.invalid_value({
        reason: `the id ${JSON.stringify(operation.id)} has a NUL or half a surrogate pair`,
      });
    }
    // Deletes are allowed because they remove duplicates.
    if (operation.kind === 'delete') return null;
    this.integrity.assertIntact(collection.number, collection.name);
    if (collection.mapping.admit(operation.source)) this.saveMapping(collection).catch(() => undefined);
    return JSON.stringify(operation.source);
  }

  /**
   * Sends the mapping to the store, ahead of all later writes. If its transaction fails, the writer adds it to the next
   * one.
   */
  async saveMapping(collection: Collection): Promise<void> {
    const { number: collectionNumber, mapping } = collection;
    const { version } = mapping;
    await this.writer.submit({
      type: 'setMapping',
      collectionNumber,
      mapping: mapping.toJson(),
      version,
    });
    collection.savedMappingVersion = Math.max(collection.savedMappingVersion, version);
  }
}

/** A copied document as a write. Deletes of absent documents fail, which is no problem. */
function toOperation({ index, collection, id, document }: DocumentCopy): WriteOperation {
  const name = { index, collection, id };
  if (document === null) return { ...name, kind: 'delete', condition: 'present' };
  const source = JSON.parse(document.json) as JsonObject;
  return { ...name, kind: 'put', source, condition: 'any' };
}

function toCondition(condition: WriteCondition): number {
  if (typeof condition !== 'number') return CONDITION[condition];
  return Number.isSafeInteger(condition) && condition >= 1 ? condition : CONDITION.never;
}

function toOperationError(error: unknown): MillraceError {
  if (error instanceof DocumentError || error instanceof MappingError) {
    return documentErrors.invalid_value({ reason: error.message });
  }
  if (error instanceof MillraceError) return error;
  return coreErrors.internal({}, { cause: error });
}
