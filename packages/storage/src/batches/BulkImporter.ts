import {
  EventLoopPacer,
  ID_GENERATOR,
  INTERNAL_INDEX,
  JsonText,
  MillraceError,
  toCollectionName,
  toDocumentId,
  toWireError,
  type IdGenerator,
  type JsonObject,
  type JsonValue,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { IndexNames } from '../IndexNames.js';
import { assertContent, separateId } from '../documents/assertContent.js';
import type { BatchItem, BatchOutcome, BatchWrite } from './BatchItem.js';
import { BatchWriter, type BatchOptions } from './BatchWriter.js';
import { parseBulkData, type BulkLine } from './parseBulkData.js';
import { complete, orError } from '../partialResults.js';

type WrittenOutcome = Exclude<BatchOutcome, { readonly status: 'failed' }>;

/** The request of a bulk import. */
export interface BulkRequest extends BatchOptions {
  /** From the path; null on the global route. */
  readonly index: string | null;
  readonly collection: string | null;
  readonly bulkData: readonly JsonValue[];
}

/** bulk.import (DOC-31). */
@scoped(Scope.ContainerScoped)
export class BulkImporter {
  constructor(
    @inject(BatchWriter) private readonly writer: BatchWriter,
    @inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @inject(INTERNAL_INDEX) private readonly internalIndex: string,
    @inject(IndexNames) private readonly names: IndexNames,
  ) {}

  /**
   * @returns `{hits}`, as JSON text if it is long or sent: one `{<action>: {_id, _index, _type, _version, status}}` per action, in
   *   order
   * @throws api.invalid_argument, storage.internal_index: nothing written; document.partial_failure (206) with all
   *   items as result and the failed ones as details
   */
  async import(request: BulkRequest): Promise<JsonObject | JsonText> {
    const { index, collection, bulkData } = request;
    const target = { index, collection, internalIndex: this.internalIndex };
    const lines = await parseBulkData(bulkData, target);
    const items = await this.toItems(lines);
    const outcomes = await this.writer.write(items, request);
    return report(lines, items, outcomes, request);
  }

  private async toItems(lines: readonly BulkLine[]): Promise<readonly BatchItem[]> {
    const items: BatchItem[] = [];
    const pacer = new EventLoopPacer();
    for (const line of lines) {
      const previous = items.at(-1);
      items.push(orError(() => this.toWrite(line, previous)));
      if (pacer.isDue()) await pacer.rest();
    }
    return items;
  }

  private toWrite(line: BulkLine, previous: BatchItem | undefined): BatchWrite {
    const { action: kind, document } = line;
    const name = this.toName(line, previous);
    if (document === null) return { kind, name, id: toDocumentId(line.id ?? ''), content: null };
    const { id: ownId, content } = separateId(document);
    assertContent(content);
    return { kind, name, id: toDocumentId(line.id ?? ownId ?? this.ids.next()), content };
  }

  /** The checked name of a line's collection; reuses the object of the previous line if it is the same collection. */
  private toName({ action, index, collection }: BulkLine, previous: BatchItem | undefined) {
    if (previous !== undefined && 'name' in previous && !(previous instanceof MillraceError)) {
      const { name, kind } = previous;
      if (kind === action && name.index === index && name.collection === collection) return name;
    }
    const mayCreate = action === 'create' || action === 'index';
    return mayCreate ? this.names.toNewCollection(index, collection) : toCollectionName(index, collection);
  }
}

/** A program gets longer reports as text too: creating one as objects and stringifying it would block the event loop. */
const FEW_ITEMS = 10_000;

/**
 * The report as JSON text, unless items failed or a program gets it: as objects it would take several times as long,
 * and more than its documents take to be checked.
 */
async function report(
  lines: readonly BulkLine[],
  items: readonly BatchItem[],
  outcomes: readonly BatchOutcome[],
  { request }: BatchOptions,
): Promise<JsonObject | JsonText> {
  const isText = request.connection.protocol !== 'program' || lines.length > FEW_ITEMS;
  const hasFailed = outcomes.some(({ status }) => status === 'failed');
  return isText && !hasFailed ? reportText(lines, items, outcomes) : reportObject(lines, items, outcomes);
}

async function reportText(
  lines: readonly BulkLine[],
  items: readonly BatchItem[],
  outcomes: readonly BatchOutcome[],
): Promise<JsonText> {
  let text = '{"hits":[';
  const pacer = new EventLoopPacer();
  for (let i = 0; i < lines.length; i++) {
    const { action, index, collection } = lines[i] as BulkLine;
    const { id } = items[i] as BatchWrite;
    const { version, status } = outcomes[i] as WrittenOutcome;
    // Validated names need no escapes (DOC-1).
    const name = `"_index":"${index}","_type":"${collection}"`;
    text += `${i === 0 ? '' : ','}{"${action}":{"_id":${JSON.stringify(id)},${name},"_version":${version},"status":${httpStatusOf(status)}}}`;
    if (pacer.isDue()) await pacer.rest();
  }
  return new JsonText(`${text}]}`);
}

async function reportObject(
  lines: readonly BulkLine[],
  items: readonly BatchItem[],
  outcomes: readonly BatchOutcome[],
): Promise<JsonObject> {
  const hits: JsonObject[] = [];
  const failed: JsonObject[] = [];
  const pacer = new EventLoopPacer();
  for (let i = 0; i < lines.length; i++) {
    const outcome = outcomes[i] as BatchOutcome;
    const hit = toHit(lines[i] as BulkLine, items[i] as BatchItem, outcome);
    hits.push(hit);
    if (outcome.status === 'failed') failed.push(hit);
    if (pacer.isDue()) await pacer.rest();
  }
  return complete({ hits }, failed, hits.length);
}

function toHit(line: BulkLine, item: BatchItem, outcome: BatchOutcome): JsonObject {
  const { action, index: _index, collection: _type } = line;
  const _id = item instanceof MillraceError ? (line.id ?? null) : item.id;
  if (outcome.status === 'failed') {
    const { id, status, message } = toWireError(outcome.error);
    return { [action]: { _id, _index, _type, status, error: { id, status, message } } };
  }
  const status = httpStatusOf(outcome.status);
  return { [action]: { _id, _index, _type, _version: outcome.version, status } };
}

function httpStatusOf(status: WrittenOutcome['status']): number {
  return status === 'created' ? 201 : 200;
}
