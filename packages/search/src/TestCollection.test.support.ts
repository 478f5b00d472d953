import { MAX_RESULT_BYTES, NO_DOCUMENT_METADATA, type JsonObject, type SearchOutcome } from '@millrace/kernel';
import {
  bindQuery,
  compileMapping,
  deriveDynamicFields,
  mergeMapping,
  parseCount,
  parseMapping,
  parseSearch,
  type CompiledMapping,
  type SearchRequest,
} from '@millrace/query';
import { Deadline } from './Deadline.js';
import { executeSearch } from './executeSearch.js';
import { CollectionIndex } from './index/CollectionIndex.js';
import { DocumentIndexer } from './index/DocumentIndexer.js';
import { needsRebuild } from './index/needsRebuild.js';
import { matchQuery } from './matchQuery.js';
import type { DocumentRow, DocumentRows } from './results/DocumentRows.js';
import { HitWriter } from './results/HitWriter.js';
import { ResultBytes } from './results/ResultBytes.js';
import { toOutcome } from './results/toOutcome.js';
import { writeOutcome } from './results/writeOutcome.js';
import type { SearchScope } from './SearchScope.js';

const TIMEOUT_MS = 30_000;

/** Rows in memory. An update deletes the row of the document and appends another one. */
class MemoryRows implements DocumentRows {
  readonly byNumber = new Map<number, DocumentRow>();
  readonly byId = new Map<string, DocumentRow>();
  private lastNumber = 0;

  append(id: string, version: number, json: string): void {
    const row = { rowNumber: ++this.lastNumber, id, version, json };
    this.byNumber.set(row.rowNumber, row);
    this.byId.set(id, row);
  }

  delete({ rowNumber, id }: DocumentRow): void {
    this.byNumber.delete(rowNumber);
    this.byId.delete(id);
  }

  read(rowNumber: number): DocumentRow | undefined {
    return this.byNumber.get(rowNumber);
  }

  readBetween(first: number, last: number): (rowNumber: number) => DocumentRow | undefined {
    return (rowNumber) => (rowNumber < first || rowNumber > last ? undefined : this.read(rowNumber));
  }

  metadataOf(): string {
    return JSON.stringify(NO_DOCUMENT_METADATA);
  }

  readName(): { readonly index: string; readonly collection: string } {
    return { index: 'shop', collection: 'things' };
  }
}

/** A collection in memory, indexed and searched by the functions that a storage engine calls. Only for tests. */
export class TestCollection {
  private readonly rows = new MemoryRows();
  private mapping: CompiledMapping;
  private index: CollectionIndex;

  constructor(mapping: JsonObject = { properties: {} }) {
    this.mapping = compileMapping(parseMapping(mapping));
    this.index = new CollectionIndex(this.mapping, 0);
  }

  /** Writes documents; existing ids are replaced. They are indexed by the next search. */
  put(documents: Readonly<Record<string, JsonObject>>): this {
    for (const [id, source] of Object.entries(documents)) {
      const additions = deriveDynamicFields(this.mapping, source);
      if (additions !== undefined) {
        this.mapping = compileMapping(mergeMapping(this.mapping.mapping, additions), this.mapping);
      }
      const version = (this.rows.byId.get(id)?.version ?? 0) + 1;
      this.delete(id);
      this.rows.append(id, version, JSON.stringify(source));
    }
    return this;
  }

  delete(...ids: readonly string[]): this {
    for (const id of ids) {
      const row = this.rows.byId.get(id);
      if (row === undefined) continue;
      this.rows.delete(row);
      this.index.kill(row.rowNumber);
    }
    return this;
  }

  search(body: JsonObject): SearchOutcome {
    return this.run(parseSearch(body));
  }

  run(request: SearchRequest): SearchOutcome {
    const { rows } = this;
    const { from, size, source, timeoutMs } = request;
    const limit = size === 0 ? 0 : from + size;
    return executeSearch(request, this.scope(timeoutMs), { rows, limit }, (search, deadline) => {
      const hits = search.ranking?.hits(from, limit) ?? [];
      const writer = new HitWriter(rows, source, false, search.extras);
      return toOutcome(writeOutcome(search, hits, writer, { deadline, bytes: new ResultBytes(MAX_RESULT_BYTES) }));
    });
  }

  count(body: JsonObject): number {
    const scope = this.scope();
    const { query } = bindQuery(parseCount(body), scope.index.mapping, scope.nowMs);
    return matchQuery(query, scope, false).slots.length;
  }

  /** The ids of the hits in their order. */
  ids(body: JsonObject): string[] {
    return this.search({ size: 1000, ...body }).hits.map((hit) => hit.id);
  }

  private scope(timeoutMs = TIMEOUT_MS): SearchScope {
    this.catchUp();
    const { index, rows } = this;
    return {
      index,
      nowMs: Date.now(),
      deadline: new Deadline(timeoutMs),
      bytes: new ResultBytes(MAX_RESULT_BYTES),
      findIds: (ids) => {
        const found = ids.map((id) => index.slotOf(rows.byId.get(id)?.rowNumber ?? -1));
        return Int32Array.from(new Set(found.filter((slot) => slot >= 0))).sort();
      },
      loadIds: () =>
        (index.ids ??= Array.from({ length: index.slotCount }, (_, slot) => rows.read(index.rowOf(slot))?.id ?? '')),
    };
  }

  private catchUp(): void {
    if (needsRebuild(this.index.mapping, this.mapping)) this.index = new CollectionIndex(this.mapping, 0);
    else if (this.index.mapping !== this.mapping) this.index.setMapping(this.mapping, 0);
    const { highestRowNumber } = this.index;
    const indexer = new DocumentIndexer(this.index);
    for (const { rowNumber, id, json } of this.rows.byNumber.values()) {
      if (rowNumber <= highestRowNumber) continue;
      indexer.add(rowNumber, { id, source: JSON.parse(json) as JsonObject, meta: NO_DOCUMENT_METADATA });
    }
    this.index.seal();
  }
}
