import type { DocumentMetadata } from '@millrace/kernel';
import type { JsonObject } from '@millrace/language';
import {
  DocumentError,
  parseDocument,
  type CompiledField,
  type CompiledObject,
  type DocumentSink,
  type FieldReader,
  type Shape,
} from '@millrace/query';
import type { FieldIndex } from '../fields/FieldIndex.js';
import type { CollectionIndex } from './CollectionIndex.js';
import { NestedIndex } from './NestedIndex.js';

/** The target of values: a slot of the documents' index, or of nested objects inside it. */
interface Level {
  readonly index: CollectionIndex;
  slot: number;
}

/** What is indexed of a document. */
export interface IndexedDocument {
  readonly id: string;
  readonly source: JsonObject;
  readonly meta: DocumentMetadata;
}

/** Adds the values of documents to the index, one document after another. */
export class DocumentIndexer implements DocumentSink {
  /** The document, then the nested objects around the next value. */
  private readonly levels: Level[];
  private readonly root: Level;
  private rowNumber = 0;

  /** @param fields which are indexed; absent: all */
  constructor(
    index: CollectionIndex,
    private readonly fields?: FieldReader,
  ) {
    this.root = { index, slot: 0 };
    this.levels = [this.root];
  }

  /** Adds a document in a row, higher than those before. The index must be sealed before it is read. */
  add(rowNumber: number, { id, source, meta }: IndexedDocument): void {
    const { index } = this.root;
    this.root.slot = index.addSlot(rowNumber, id);
    this.levels.length = 1;
    this.rowNumber = rowNumber;
    try {
      if (this.fields === undefined) parseDocument(index.mapping, source, this);
      else this.fields.read(source, this);
    } catch (error) {
      // Written under an earlier mapping that accepted the document: values that don't fit now are not searchable.
      if (!(error instanceof DocumentError)) throw error;
    }
    if (this.fields?.hasMetadata !== false) this.metadata(meta);
  }

  text(field: CompiledField, value: string): void {
    this.put(field, (target, slot) => {
      if (target.kind === 'text') target.add(slot, value);
    });
  }

  keyword(field: CompiledField, value: string): void {
    this.put(field, (target, slot) => {
      if (target.kind === 'term') target.column.add(slot, value);
    });
  }

  ip(field: CompiledField, key: string): void {
    this.keyword(field, key);
  }

  number(field: CompiledField, value: number): void {
    this.put(field, (target, slot) => {
      if (target.kind === 'number') target.column.add(slot, value);
    });
  }

  boolean(field: CompiledField, value: boolean): void {
    this.number(field, value ? 1 : 0);
  }

  date(field: CompiledField, ms: number): void {
    this.number(field, ms);
  }

  point(field: CompiledField, lat: number, lon: number): void {
    this.put(field, (target, slot) => {
      if (target.kind === 'point') target.column.add(slot, lat, lon);
    });
  }

  shape(field: CompiledField, shape: Shape): void {
    this.put(field, (target, slot) => {
      if (target.kind === 'shape') target.add(slot, shape);
    });
  }

  /** Its content isn't searchable. */
  binary(field: CompiledField): void {
    this.number(field, 1);
  }

  beginNested(object: CompiledObject): void {
    const around = this.levels.at(-1) ?? this.root;
    const index = nestedIn(around.index, object.name);
    this.levels.push({ index, slot: index.addObject(this.rowNumber, around.slot) });
  }

  endNested(_object: CompiledObject): void {
    this.levels.pop();
  }

  private metadata({ createdAt, updatedAt, author, updater }: DocumentMetadata): void {
    const { fields } = this.root.index.mapping;
    const field = (name: string) => fields.get(name) as CompiledField;
    if (createdAt !== null) this.date(field('_meta.createdAt'), createdAt);
    if (updatedAt !== null) this.date(field('_meta.updatedAt'), updatedAt);
    if (author !== null) this.keyword(field('_meta.author'), author);
    if (updater !== null) this.keyword(field('_meta.updater'), updater);
  }

  private put(field: CompiledField, add: (target: FieldIndex, slot: number) => void): void {
    // The most common case: a value of the document itself.
    if (field.nestedPath === undefined) {
      const target = this.root.index.fieldFor(field);
      if (target !== undefined) add(target, this.root.slot);
      return;
    }
    for (const { index, slot } of this.levels) {
      const target = index.shows(field) ? index.fieldFor(field) : undefined;
      if (target !== undefined) add(target, slot);
    }
  }
}

function nestedIn(index: CollectionIndex, path: string): NestedIndex {
  let nested = index.nested.get(path);
  if (nested === undefined) {
    nested = new NestedIndex(index.mapping, index.mappingVersion, path, index);
    index.nested.set(path, nested);
  }
  return nested;
}
