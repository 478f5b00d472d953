import {
  documentErrors,
  NO_DOCUMENT_METADATA,
  stampMetadata,
  storageErrors,
  type ChangeOrigin,
  type DocumentMetadata,
  type MillraceError,
  type WriteOperation,
  type WriteOutcome,
  type WriteStamp,
} from '@millrace/kernel';
import { formatCursor, packOrigin } from '../changeLog/formatCursor.js';
import { packStamp, unpackMetadata } from '../storedText.js';
import { WRITE_CODE, type WriteCode } from '../writer/WriteCode.js';
import type { WriteReceiver, WriteResult } from '../writer/WriterThread.js';

/** Collects the outcomes of one `write` call, whose operations may be in different transactions. */
export class WriteCall implements WriteReceiver {
  /** Resolves when every operation has its outcome; rejects if the store was unreachable for all of them. */
  readonly done: Promise<readonly WriteOutcome[]>;

  /** The stamp for the documents' metadata, in stored form; empty: no metadata. */
  readonly packedStamp: string;

  /** The request that makes the writes, see formatCursor.ts. */
  get packedOrigin(): string {
    return (this.packed ??= packOrigin(this.origin));
  }

  private packed: string | undefined;
  private readonly outcomes: WriteOutcome[];
  /** The metadata of each created document. */
  private readonly created: DocumentMetadata;
  private missing: number;
  private unavailable = 0;
  private resolve!: (outcomes: readonly WriteOutcome[]) => void;
  private reject!: (error: MillraceError) => void;

  constructor(
    private readonly operations: readonly WriteOperation[],
    /** Of the change log. */
    private readonly epoch: string,
    stamp?: WriteStamp,
    private readonly origin?: ChangeOrigin | null,
  ) {
    this.packedStamp = stamp === undefined ? '' : packStamp(stamp);
    this.created = stamp === undefined ? NO_DOCUMENT_METADATA : stampMetadata(null, stamp);
    this.missing = operations.length;
    this.outcomes = new Array<WriteOutcome>(operations.length);
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  written(position: number, result: WriteResult): void {
    this.settle(position, this.toOutcome(position, result));
  }

  failed(position: number, error: MillraceError): void {
    if (error.id === storageErrors.unavailable.id) this.unavailable += 1;
    this.settle(position, { status: 'failed', error });
  }

  private settle(position: number, outcome: WriteOutcome): void {
    this.outcomes[position] = outcome;
    this.missing -= 1;
    if (this.missing > 0) return;
    if (this.unavailable === this.outcomes.length && outcome.status === 'failed') this.reject(outcome.error);
    else this.resolve(this.outcomes);
  }

  private toOutcome(position: number, { code, version, packed, seq }: WriteResult): WriteOutcome {
    const recorded = seq === 0 ? undefined : { cursor: formatCursor(this.epoch, seq) };
    switch (code as WriteCode) {
      case WRITE_CODE.created:
        return { status: 'created', version, meta: this.created, ...recorded };
      case WRITE_CODE.replaced:
        return { status: 'replaced', version, meta: unpackMetadata(packed), ...recorded };
      case WRITE_CODE.deleted:
        return { status: 'deleted', version, ...recorded };
      case WRITE_CODE.notFound:
        return { status: 'failed', error: documentErrors.not_found(this.nameOf(position)) };
      case WRITE_CODE.alreadyExists:
        return { status: 'failed', error: documentErrors.already_exists(this.nameOf(position)) };
      case WRITE_CODE.versionConflict:
        return { status: 'failed', error: this.conflict(position, version) };
      case WRITE_CODE.collectionNotFound:
        return {
          status: 'failed',
          error: storageErrors.collection_not_found(this.nameOf(position)),
        };
      case WRITE_CODE.tooBig:
        return {
          status: 'failed',
          error: documentErrors.invalid_value({ reason: 'it is larger than the store can hold' }),
        };
    }
  }

  private nameOf(position: number): { index: string; collection: string; id: string } {
    const { index, collection, id } = this.operations[position] as WriteOperation;
    return { index, collection, id };
  }

  private conflict(position: number, actual: number): MillraceError {
    const { id, condition } = this.operations[position] as WriteOperation;
    return documentErrors.version_conflict({ id, expected: condition as number, actual });
  }
}
