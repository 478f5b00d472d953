import type { DocumentGrant, DocumentRight } from '@millrace/kernel';
import {
  bindQuery,
  compileMapping,
  deriveDynamicFields,
  DocumentError,
  MappingError,
  mergeMapping,
  QueryError,
  toFieldSet,
  unionOf,
  type CompiledMapping,
  type FieldSet,
  type Query,
} from '@millrace/query';
import { documentScope } from '../documentScope.js';
import type { IndexedDocument } from '../index/DocumentIndexer.js';
import { matches } from '../matches.js';
import { Refusal } from '../Refusal.js';

/** Applies a right on documents to single documents of a collection. */
export class DocumentJudge {
  /** @param mapping of the collection @param nowMs `now` of date math */
  constructor(
    private readonly right: DocumentRight,
    private readonly mapping: CompiledMapping,
    private readonly nowMs: number,
  ) {}

  /** The grants that cover a stored document; empty: the document must not be seen. */
  covering(document: IndexedDocument): readonly DocumentGrant[] {
    return grantsMatching(this.right.grants, ({ documents }) => documents, this.tester(document));
  }

  /**
   * The grants that permit the content of a document after a write.
   * @param grants those that cover the document before; for creations all
   */
  passing(
    document: IndexedDocument,
    grants: readonly DocumentGrant[] = this.right.grants,
  ): readonly DocumentGrant[] {
    const needsTest = grants.some(({ check }) => check !== null);
    const mapping = needsTest ? withDynamicFields(this.mapping, document) : this.mapping;
    return grantsMatching(grants, ({ check }) => check, this.tester(document, mapping));
  }

  /** The fields of grants together; null: all fields. */
  fieldsOf(grants: readonly DocumentGrant[]): FieldSet | null {
    const sets: FieldSet[] = [];
    for (const { fields } of grants) {
      if (fields === null) return null;
      sets.push(toFieldSet(fields, this.mapping));
    }
    return unionOf(sets);
  }

  private tester(document: IndexedDocument, mapping = this.mapping): (query: Query) => boolean {
    let scope: ReturnType<typeof documentScope> | undefined;
    return (query) => {
      try {
        const { query: bound } = bindQuery(query, mapping, this.nowMs);
        return matches(bound, (scope ??= documentScope(document, mapping)));
      } catch (error) {
        // A query that doesn't fit the mapping matches nothing, as in searches.
        if (error instanceof QueryError || error instanceof Refusal) return false;
        throw error;
      }
    };
  }
}

function grantsMatching(
  grants: readonly DocumentGrant[],
  queryOf: (grant: DocumentGrant) => Query | null,
  test: (query: Query) => boolean,
): readonly DocumentGrant[] {
  return grants.filter((grant) => {
    const query = queryOf(grant);
    return query === null || test(query);
  });
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
