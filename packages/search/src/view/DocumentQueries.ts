import {
  bindQuery,
  FieldReader,
  QueryError,
  searchedFields,
  type BoundQuery,
  type CompiledMapping,
  type Query,
} from '@millrace/query';
import { documentScope } from '../documentScope.js';
import type { IndexedDocument } from '../index/DocumentIndexer.js';
import { matches } from '../matches.js';
import { Refusal } from '../Refusal.js';

/** A few queries that are decided on one document after the other. Only the fields that they search are indexed. */
export class DocumentQueries {
  private readonly bound: readonly (readonly [Query, BoundQuery])[];
  /** Undefined: every field is needed. */
  private readonly reader: FieldReader | undefined;

  /** @param mapping of the documents @param nowMs `now` of date math */
  constructor(
    queries: readonly Query[],
    private readonly mapping: CompiledMapping,
    nowMs: number,
  ) {
    this.bound = queries.flatMap((query) => bindIfFits(query, mapping, nowMs));
    this.reader = readerOf(this.bound, mapping);
  }

  /** Those that match a document. One that doesn't fit the mapping matches nothing, as in searches. */
  matching(document: IndexedDocument): ReadonlySet<Query> {
    const found = new Set<Query>();
    if (this.bound.length === 0) return found;
    const scope = documentScope(document, this.mapping, this.reader);
    for (const [query, bound] of this.bound) {
      try {
        if (matches(bound, scope)) found.add(query);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }
    return found;
  }
}

function bindIfFits(query: Query, mapping: CompiledMapping, nowMs: number): readonly (readonly [Query, BoundQuery])[] {
  try {
    return [[query, bindQuery(query, mapping, nowMs).query]];
  } catch (error) {
    if (error instanceof QueryError) return [];
    throw error;
  }
}

const MAX_KEPT = 100;
/** By ordinals of the fields. */
const readers = new WeakMap<CompiledMapping, Map<string, FieldReader>>();

function readerOf(bound: readonly (readonly [Query, BoundQuery])[], mapping: CompiledMapping): FieldReader | undefined {
  const ordinals = new Set<number>();
  for (const [, query] of bound) {
    const fields = searchedFields(query);
    if (fields === null) return undefined;
    for (const { ordinal } of fields) ordinals.add(ordinal);
  }
  const kept = readers.get(mapping) ?? new Map<string, FieldReader>();
  readers.set(mapping, kept);
  const key = [...ordinals].join();
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= MAX_KEPT) kept.clear();
  const reader = new FieldReader(mapping, (ordinal) => ordinals.has(ordinal));
  kept.set(key, reader);
  return reader;
}
