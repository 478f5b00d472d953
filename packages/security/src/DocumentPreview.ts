import {
  CLOCK,
  EventLoopPacer,
  MAX_RESULT_BYTES,
  queryErrors,
  SECURITY,
  STORAGE_ENGINE,
  toCollectionName,
  type Clock,
  type DocumentRight,
  type JsonObject,
  type Request,
  type Security,
  type StorageEngine,
  type StoredDocument,
  type Target,
} from '@millrace/kernel';
import { hiddenPaths, selectFields, type CompiledMapping, type FieldSet } from '@millrace/query';
import { compiledMapping, DocumentTest } from '@millrace/search';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

/** Documents that are in memory at once. */
const READ_AT_ONCE = 10;
/** Of all `except` of an answer: their JSON is written in one turn of the event loop. */
const MAX_EXCEPT_BYTES = 2 ** 20;

/** The part of one document that a right covers. */
export type PreviewedDocument = {
  readonly _id: string;
  readonly allowed: boolean;
  /** Fields of the document that the right doesn't cover. */
  readonly except?: readonly string[];
};

/** Applies the right of one user to documents that another may read. */
@scoped(Scope.ContainerScoped)
export class DocumentPreview {
  constructor(
    @inject(SECURITY) private readonly security: Security,
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param reader its user reads the documents: others, and fields that this user may not read, are left out
   * @param asked as the request of the user whose right is applied; null: nothing is allowed
   * @param target the action, index and collection
   * @throws security.forbidden (403), if the reader may not get documents; query.result_too_large (400)
   */
  async of(
    reader: Request,
    asked: Request | null,
    target: Target,
    ids: readonly string[],
  ): Promise<readonly PreviewedDocument[]> {
    const { index, collection } = target;
    const name = toCollectionName(index ?? '', collection ?? '');
    const get = { ...target, controller: 'document', action: 'get', id: null };
    await this.security.authorizeTarget(reader, get);
    if (!(await this.engine.hasCollection(name))) return [];
    const mapping = compiledMapping(await this.engine.getMapping(name));
    const found: PreviewedDocument[] = [];
    const pacer = new EventLoopPacer(1);
    let exceptBytes = 0;
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      const some = ids.slice(at, at + READ_AT_ONCE);
      for (const document of await this.engine.readMany(name, some, { maxBytes: MAX_RESULT_BYTES })) {
        if (pacer.isDue()) await pacer.rest();
        if (document === null) continue;
        const read = await this.covered(reader, get, document, mapping);
        if (read === null) continue;
        const own = asked === null ? null : await this.covered(asked, target, document, mapping);
        const source = read.fields === null ? document.source : selectFields(document.source, read.fields);
        const item = { _id: document.id, ...itemOf(source, own) };
        for (const path of item.except ?? []) exceptBytes += Buffer.byteLength(path);
        if (exceptBytes > MAX_EXCEPT_BYTES) throw queryErrors.result_too_large({ maxBytes: MAX_EXCEPT_BYTES });
        found.push(item);
      }
    }
    return found;
  }

  /** The fields of a document that a request may act on, null for all; null if it may not act on the document. */
  private async covered(
    request: Request,
    target: Target,
    document: StoredDocument,
    mapping: CompiledMapping,
  ): Promise<{ readonly fields: FieldSet | null } | null> {
    const at = { ...target, id: document.id };
    if (!(await this.security.isAllowed(request, at))) return null;
    const right: boolean | DocumentRight = (await this.security.documentRight?.(request, at)) ?? true;
    if (typeof right === 'boolean') return right ? { fields: null } : null;
    const test = new DocumentTest(right, mapping, this.clock.nowMs());
    const grants = test.covering(document);
    return grants.length === 0 ? null : { fields: test.fieldsOf(grants) };
  }
}

function itemOf(source: JsonObject, own: { readonly fields: FieldSet | null } | null): Omit<PreviewedDocument, '_id'> {
  if (own === null) return { allowed: false };
  const except = own.fields === null ? [] : hiddenPaths(source, own.fields);
  return except.length === 0 ? { allowed: true } : { allowed: true, except };
}
