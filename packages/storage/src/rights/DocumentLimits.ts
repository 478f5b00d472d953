/*
 * Rights on documents (SEC-80 to SEC-86), as the actions on documents apply them: what a request may see by an action,
 * and the checks of its queries.
 */
import {
  andThen,
  CLOCK,
  isCollectionAbsent,
  isThenable,
  SECURITY,
  securityErrors,
  STORAGE_ENGINE,
  type CheckedCollection,
  type Clock,
  type CollectionName,
  type DocumentRight,
  type JsonObject,
  type MaybePromise,
  type Request,
  type Security,
  type StorageEngine,
  type StoredDocument,
  type StoredText,
} from '@millrace/kernel';
import {
  hiddenNameIn,
  mentionsNow,
  parseMapping,
  selectFields,
  type CompiledMapping,
  type FieldRule,
  type FieldSet,
  type Query,
  type SearchView,
} from '@millrace/query';
import { compiledMapping, DocumentTest, searchViewOf } from '@millrace/search';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

const NO_MAPPING = parseMapping({});
/** No grant: no document. */
const NOTHING: DocumentRight = { key: 'nothing', grants: [] };
const MAX_TESTS = 256;

/** What requests may see of documents. */
@scoped(Scope.ContainerScoped)
export class DocumentLimits {
  /** By the content of their right. */
  private readonly tests = new Map<string, KeptTest>();

  constructor(
    @inject(SECURITY) private readonly security: Security,
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The right of a request to documents by an action; null: every document, all fields.
   * @param content sent for an item of a request with several documents, for conditions
   */
  of(
    request: Request,
    action: string,
    name: CollectionName,
    id: string | null = null,
    content: JsonObject | null = null,
  ): MaybePromise<DocumentRight | null> {
    return andThen(this.rightOf(request, action, name, id, content), (right) =>
      typeof right === 'object' ? right : right ? null : NOTHING,
    );
  }

  /** As `of`; false: the action isn't allowed, true: no limits. */
  rightOf(
    request: Request,
    action: string,
    name: CollectionName,
    id: string | null = null,
    content: JsonObject | null = null,
  ): MaybePromise<boolean | DocumentRight> {
    if (this.security.documentRight === undefined) return true;
    // Names of documents have been checked before their rights are asked for.
    const { index, collection } = name as CheckedCollection;
    const { target: asked } = request;
    const isAsked = asked.controller === 'document' && asked.action === action;
    const body = isAsked ? asked.body : content;
    const target = { controller: 'document', action, index, collection, id, body };
    return this.security.documentRight(request, target);
  }

  /**
   * The fields that a request may read in some document, by `get` or `search`; null: all. Without a right to either,
   * the request describes documents that it doesn't read: all.
   */
  async readableFields(request: Request, name: CollectionName): Promise<FieldSet | null> {
    const rights = [await this.rightOf(request, 'get', name), await this.rightOf(request, 'search', name)];
    const limited = rights.filter((right) => typeof right === 'object');
    if (limited.length === 0 || rights.includes(true)) return null;
    const test = await this.testOf(NOTHING, name);
    return test.fieldsOf(limited.flatMap(({ grants }) => grants));
  }

  /**
   * The query of a deletion or update by query within the right to it. A field may be named if the right to search shows
   * it; without such a right, if the right to the action covers it.
   * @throws security.field_hidden (403)
   */
  async visible(query: Query, action: string, name: CollectionName, request: Request | null): Promise<Query> {
    if (request === null) return query;
    const right = await this.of(request, action, name);
    const search = await this.rightOf(request, 'search', name);
    const reading = typeof search === 'object' ? search : search ? null : right;
    const fields = reading === null ? [] : searchViewOf(reading).fields;
    await this.assertNames(query, fields, name);
    if (right === null && fields.length === 0) return query;
    const { documents } = right === null ? { documents: undefined } : searchViewOf(right);
    return visibleQuery(query, { fields, ...(documents && { documents }) });
  }

  /** The mapping of a collection; an absent one has no fields. */
  mappingOf(name: CollectionName): MaybePromise<CompiledMapping> {
    try {
      const mapping = this.engine.getMapping(name);
      return isThenable(mapping) ? mapping.then(compiledMapping, noMapping) : compiledMapping(mapping);
    } catch (error) {
      return noMapping(error);
    }
  }

  testOf(right: DocumentRight, name: CollectionName): MaybePromise<DocumentTest> {
    return andThen(this.mappingOf(name), (mapping) => {
      const { key } = right;
      const kept = this.tests.get(key);
      if (kept?.mapping === mapping) return kept.test;
      const test = new DocumentTest(right, mapping, this.clock.nowMs());
      if (mentionsNow(key)) return test;
      if (this.tests.size >= MAX_TESTS) this.tests.clear();
      this.tests.set(key, { mapping, test });
      return test;
    });
  }

  /** A stored document as a right shows it; null if it must not be seen. */
  shown(document: StoredDocument, right: DocumentRight, name: CollectionName): MaybePromise<StoredDocument | null> {
    return andThen(this.testOf(right, name), (test) => shownBy(test, document));
  }

  /** As `shown`, with the content as JSON text. */
  shownText(text: StoredText, right: DocumentRight, name: CollectionName): MaybePromise<StoredText | null> {
    return andThen(this.testOf(right, name), (test) => {
      const source = JSON.parse(text.json) as JsonObject;
      const shown = shownBy(test, { ...text, source });
      if (shown === null || shown.source === source) return shown && text;
      return { ...text, json: JSON.stringify(shown.source) };
    });
  }

  /**
   * Checks that a parsed query or search names no hidden field.
   * @param rules each of them must show a named field
   * @throws security.field_hidden (403)
   */
  async assertNames(parsed: object, rules: readonly FieldRule[], name: CollectionName): Promise<void> {
    if (rules.length === 0) return;
    const mapping = await this.mappingOf(name);
    const hidden = hiddenNameIn(parsed, rules, mapping);
    if (hidden === undefined) return;
    const { field, path } = hidden;
    throw securityErrors.field_hidden({ field, where: path === '' ? '' : ` at ${path}` });
  }
}

interface KeptTest {
  readonly mapping: CompiledMapping;
  readonly test: DocumentTest;
}

function shownBy(test: DocumentTest, document: StoredDocument): StoredDocument | null {
  const grants = test.covering(document);
  if (grants.length === 0) return null;
  const fields = test.fieldsOf(grants);
  return fields === null ? document : { ...document, source: selectFields(document.source, fields) };
}

/** The query within a view. */
export function visibleQuery(query: Query, view: SearchView): Query {
  return { kind: 'visible', query, view, boost: 1, path: query.path };
}

function noMapping(error: unknown): CompiledMapping {
  if (!isCollectionAbsent(error)) throw error;
  return compiledMapping(NO_MAPPING);
}
