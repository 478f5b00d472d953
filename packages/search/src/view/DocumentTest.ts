import type { DocumentGrant, DocumentRight } from '@millrace/kernel';
import {
  compileMapping,
  deriveDynamicFields,
  DocumentError,
  MappingError,
  mergeMapping,
  toFieldSet,
  unionOf,
  type CompiledMapping,
  type FieldRule,
  type FieldSet,
  type Query,
} from '@millrace/query';
import type { IndexedDocument } from '../index/DocumentIndexer.js';
import { DocumentQueries } from './DocumentQueries.js';

/** Applies a right on documents to single documents of a collection. */
export class DocumentTest {
  private documents: DocumentQueries | undefined;
  private readonly sets = new WeakMap<FieldRule, FieldSet>();

  /** @param mapping of the collection @param nowMs `now` of date math */
  constructor(
    private readonly right: DocumentRight,
    private readonly mapping: CompiledMapping,
    private readonly nowMs: number,
  ) {}

  /** The grants that cover a stored document; empty: the document must not be seen. */
  covering(document: IndexedDocument): readonly DocumentGrant[] {
    const { grants } = this.right;
    this.documents ??= this.queriesOf(grants, ({ documents }) => documents);
    const matching = this.documents.matching(document);
    return grants.filter(({ documents }) => documents === null || matching.has(documents));
  }

  /**
   * The grants that permit the content of a document after a write.
   * @param grants those that cover the document before; for creations all
   */
  passing(document: IndexedDocument, grants: readonly DocumentGrant[] = this.right.grants): readonly DocumentGrant[] {
    if (grants.every(({ check }) => check === null)) return grants;
    const mapping = withDynamicFields(this.mapping, document);
    const checks = this.queriesOf(grants, ({ check }) => check, mapping);
    const matching = checks.matching(document);
    return grants.filter(({ check }) => check === null || matching.has(check));
  }

  /** The fields of grants together; null: all fields. */
  fieldsOf(grants: readonly DocumentGrant[]): FieldSet | null {
    const sets: FieldSet[] = [];
    for (const { fields } of grants) {
      if (fields === null) return null;
      const set = this.sets.get(fields) ?? toFieldSet(fields, this.mapping);
      this.sets.set(fields, set);
      sets.push(set);
    }
    return unionOf(sets);
  }

  private queriesOf(
    grants: readonly DocumentGrant[],
    queryOf: (grant: DocumentGrant) => Query | null,
    mapping = this.mapping,
  ): DocumentQueries {
    const queries = grants.flatMap((grant) => queryOf(grant) ?? []);
    return new DocumentQueries(queries, mapping, this.nowMs);
  }
}

/** The mapping after the write of a document. */
function withDynamicFields(mapping: CompiledMapping, { source }: IndexedDocument): CompiledMapping {
  try {
    const added = deriveDynamicFields(mapping, source);
    if (added === undefined) return mapping;
    return compileMapping(mergeMapping(mapping.mapping, added), mapping);
  } catch (error) {
    // The engine refuses the document.
    if (error instanceof DocumentError || error instanceof MappingError) return mapping;
    throw error;
  }
}
