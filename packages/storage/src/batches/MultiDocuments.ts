import {
  apiErrors,
  documentErrors,
  ID_GENERATOR,
  isJsonObject,
  isThenable,
  JsonText,
  MillraceError,
  SECURITY,
  showValue,
  toDocumentId,
  type CheckedCollection,
  type DocumentRight,
  type IdGenerator,
  type JsonObject,
  type JsonValue,
  type Request,
  type Security,
  type StoredText,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { own } from '@millrace/language';
import { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import { DocumentLimits } from '../rights/DocumentLimits.js';
import { FEW_DOCUMENTS, ShownTexts, type View } from '../rights/ShownTexts.js';
import type { WriteGuard } from '../rights/WriteGuard.js';
import { WriteGuards } from '../rights/WriteGuards.js';
import { assertContent, separateId } from '../documents/assertContent.js';
import { metadataText } from '../documents/metadataText.js';
import { complete, failureOf, orError } from '../partialResults.js';
import type { BatchItem, BatchOutcome, BatchWrite } from './BatchItem.js';
import { BatchWriter, type BatchOptions } from './BatchWriter.js';

/** The write that a multi-document action makes for each of its documents. */
export type MultiWriteKind = Exclude<BatchWrite['kind'], 'delete'>;

/** One document of the request: its id and content, and the form in which it was sent. */
interface AskedDocument {
  readonly sent: JsonObject;
  readonly id: string | undefined;
  readonly body: JsonObject;
}

/** mGet, mCreate, mCreateOrReplace, mReplace, mUpdate, mDelete (DOC-30). */
@scoped(Scope.ContainerScoped)
export class MultiDocuments {
  constructor(
    @inject(CollectionCatalog) private readonly collections: CollectionCatalog,
    @inject(BatchWriter) private readonly writer: BatchWriter,
    @inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @inject(SECURITY) private readonly security: Security,
    @inject(DocumentLimits) private readonly limits: DocumentLimits,
    @inject(WriteGuards) private readonly guards: WriteGuards,
    @inject(ShownTexts) private readonly texts: ShownTexts,
  ) {}

  /**
   * Writes the documents in order.
   * @returns `{successes, errors: []}`
   * @throws document.partial_failure (206) with both lists as result; api.invalid_argument (400) for a malformed body
   */
  async write(
    kind: MultiWriteKind,
    name: CheckedCollection,
    documents: readonly JsonValue[],
    options: BatchOptions,
  ): Promise<JsonObject> {
    const needsId = kind === 'replace' || kind === 'update';
    const asked = documents.map((sent, position) => readDocument(sent, position, needsId));
    if (needsId && asked.length > 0) await this.collections.assertExists(name);
    const items = asked.map((document) => orError(() => this.toWrite(kind, name, document)));
    if (kind === 'update') await this.assertAnswerable(name, items, options);
    const outcomes = await this.writer.write(items, options);
    return answer(outcomes, {
      success: (outcome, i) => toSuccess(kind, (items[i] as BatchWrite).id, outcome),
      naming: (i) => nameOf(asked[i] as AskedDocument),
    });
  }

  /**
   * Refuses updates whose result would be too large before anything is written: a request of a few bytes can update
   * large documents.
   * @throws query.result_too_large (400)
   */
  private async assertAnswerable(
    name: CheckedCollection,
    items: readonly (BatchItem | MillraceError)[],
    { request }: BatchOptions,
  ): Promise<void> {
    if (items.length <= FEW_DOCUMENTS) return;
    const valid = items.filter((item) => 'kind' in item);
    const guards: (WriteGuard | null)[] = [];
    for (const { id, content } of valid) {
      const guard = this.guards.of(request, 'update', name, id, content);
      guards.push(isThenable(guard) ? await guard : guard);
    }
    const view: View = (text, at) => {
      const guard = guards[at] ?? null;
      return guard === null ? text : guard.shownText(text);
    };
    const ids = valid.map(({ id }) => id);
    await this.texts.read(name, ids, guards.every((guard) => guard === null) ? null : view);
  }

  /** @throws as `write`; storage.collection_not_found */
  async delete(name: CheckedCollection, ids: readonly string[], options: BatchOptions): Promise<JsonObject> {
    if (ids.length > 0) await this.collections.assertExists(name);
    const items = ids.map((id) =>
      orError(() => ({ kind: 'delete' as const, name, id: toDocumentId(id), content: null })),
    );
    const outcomes = await this.writer.write(items, options);
    return answer(outcomes, { success: (_outcome, i) => ids[i] as string, naming: (i) => ({ _id: ids[i] as string }) });
  }

  /**
   * @returns `{successes, errors: []}` as JSON text
   * @throws as `write`; storage.collection_not_found, query.result_too_large
   */
  async get(name: CheckedCollection, ids: readonly string[], request: Request): Promise<JsonText> {
    let successes = '';
    const errors: JsonObject[] = [];
    if (ids.length === 0) return new JsonText('{"successes":[],"errors":[]}');
    await this.collections.assertExists(name);
    const checks: (string | MillraceError)[] = [];
    for (const id of ids) checks.push(await this.readable(request, name, id));
    const valid = checks.filter((check) => typeof check === 'string');
    const shown = await this.texts.read(name, valid, await this.viewOf(request, name, valid));
    let next = 0;
    checks.forEach((check, i) => {
      const _id = ids[i] as string;
      const document = typeof check === 'string' ? shown[next++] : undefined;
      if (document) successes += (successes === '' ? '' : ',') + successText(document);
      else
        errors.push(
          failureOf({ _id }, typeof check === 'string' ? documentErrors.not_found({ ...name, id: _id }) : check),
        );
    });
    return complete(
      new JsonText(`{"successes":[${successes}],"errors":${JSON.stringify(errors)}}`),
      errors,
      ids.length,
    );
  }

  /** What the user may read of documents; null: everything. */
  private async viewOf(request: Request, name: CheckedCollection, ids: readonly string[]): Promise<View | null> {
    const rights: (DocumentRight | null)[] = [];
    for (const id of ids) {
      const right = this.limits.of(request, 'get', name, id);
      rights.push(isThenable(right) ? await right : right);
    }
    if (rights.every((right) => right === null)) return null;
    return (text, at) => {
      const right = rights[at] ?? null;
      return right === null ? text : this.limits.shownText(text, right, name);
    };
  }

  /** The id, or the error if this user may not read its document. */
  private async readable(request: Request, name: CheckedCollection, id: string): Promise<string | MillraceError> {
    try {
      toDocumentId(id);
      const target = { controller: 'document', action: 'get', ...name, id, body: null };
      const decided = this.security.authorizeTarget(request, target);
      if (isThenable(decided)) await decided;
      return id;
    } catch (error) {
      if (error instanceof MillraceError) return error;
      throw error;
    }
  }

  private toWrite(kind: MultiWriteKind, name: CheckedCollection, asked: AskedDocument): BatchWrite {
    const { id: ownId, content } = separateId(asked.body);
    assertContent(content);
    return { kind, name, id: toDocumentId(asked.id ?? ownId ?? this.ids.next()), content };
  }
}

/** A write that was made. */
type Written = Exclude<BatchOutcome, { readonly status: 'failed' }>;

/** The two lists of a result, both in the order of the request. @throws document.partial_failure (206) if any failed */
function answer(
  outcomes: readonly BatchOutcome[],
  items: {
    readonly success: (outcome: Written, position: number) => JsonValue;
    readonly naming: (position: number) => JsonObject;
  },
): JsonObject {
  const successes: JsonValue[] = [];
  const errors: JsonObject[] = [];
  outcomes.forEach((outcome, i) => {
    if (outcome.status === 'failed') errors.push(failureOf(items.naming(i), outcome.error));
    else successes.push(items.success(outcome, i));
  });
  return complete({ successes, errors }, errors, outcomes.length);
}

/** A document as JSON text, forwarded as stored. Concatenated with `+`: see `toSearchResult`. */
function successText({ id, version, json, meta }: StoredText): string {
  const head = `{"_id":${JSON.stringify(id)},"_version":${version},"_source":`;
  return head + json + `,"_meta":${metadataText(meta)}}`;
}

function readDocument(sent: JsonValue, position: number, needsId: boolean): AskedDocument {
  const name = `documents[${position}]`;
  if (!isJsonObject(sent)) {
    throw refused(name, sent, 'an object such as {"_id": "…", "body": {…}}');
  }
  const body = own(sent, 'body');
  if (!isJsonObject(body)) throw refused(`${name}.body`, body ?? 'none', 'a JSON object');
  const id = own(sent, '_id') ?? undefined;
  if (id !== undefined && typeof id !== 'string') throw refused(`${name}._id`, id, 'a string');
  if (needsId && id === undefined && typeof ownIdOf(body) !== 'string') {
    throw refused(`${name}._id`, 'none', 'the identifier of the document');
  }
  return { sent, id, body };
}

function ownIdOf(body: JsonObject): JsonValue | undefined {
  return own(body, '_id');
}

/** Identifies a document in an error: by its id, or as it was sent if it has none. */
function nameOf({ id, body, sent }: AskedDocument): JsonObject {
  const known = id ?? ownIdOf(body);
  return typeof known === 'string' ? { _id: known } : { document: sent };
}

function toSuccess(kind: MultiWriteKind, _id: string, outcome: Written): JsonObject {
  const { version, source, meta } = outcome;
  const written = { _id, _version: version, _source: source, _meta: meta };
  const reportsCreated = kind === 'index' || kind === 'replace';
  return reportsCreated ? { ...written, created: outcome.status === 'created' } : written;
}

function refused(name: string, value: unknown, expected: string): Error {
  const shown = value === 'none' ? 'none' : showValue(value);
  return apiErrors.invalid_argument({ name, value: shown, expected });
}
