import { TokenList, type JsonValue } from '@millrace/language';
import type { ValueFilters } from '@millrace/filters';
import {
  analyzerOf,
  DocumentError,
  FieldReader,
  type CompiledField,
  type CompiledMapping,
  type DocumentSink,
} from '@millrace/query';
import type { DocumentMetadata } from '@millrace/kernel';
import type { IndexedDocument } from '../index/DocumentIndexer.js';
import { pathOf } from './pathOf.js';

const ID = '_id';
/** Of a field whose values can't be compared. */
const PRESENT = {};
const METADATA = ['createdAt', 'updatedAt', 'author', 'updater'] as const;

const tokens = new TokenList();

/** Puts the values of documents into the filters of the first stage: only those of the fields that queries name. */
export class LiveReader implements DocumentSink {
  private readonly fields: FieldReader;
  /** By ordinal: of the fields that queries name. */
  private readonly paths: (string | undefined)[] = [];
  private readonly metadata: readonly (keyof DocumentMetadata)[];

  /** @param isUsed whether a query names the field with this ordinal */
  constructor(
    private readonly mapping: CompiledMapping,
    isUsed: (ordinal: number) => boolean,
    private readonly filters: ValueFilters,
  ) {
    this.fields = new FieldReader(mapping, isUsed);
    for (const field of mapping.fields.values()) {
      if (isUsed(field.ordinal)) this.paths[field.ordinal] = pathOf(field);
    }
    this.metadata = METADATA.filter((name) => isUsed(this.metadataField(name).ordinal));
  }

  read({ id, source, meta }: IndexedDocument): void {
    this.filters.put(ID, id);
    try {
      this.fields.read(source, this);
    } catch (error) {
      // Written under an earlier mapping; see DocumentIndexer.
      if (!(error instanceof DocumentError)) throw error;
    }
    for (const name of this.metadata) {
      const value = meta[name];
      if (value !== null) this.put(this.metadataField(name), value);
    }
  }

  text(field: CompiledField, value: string): void {
    const path = this.paths[field.ordinal];
    if (path === undefined) return;
    tokens.clear();
    analyzerOf(field, field.analyzer).analyze(value, tokens, 0);
    for (const term of tokens.terms) this.filters.put(path, term);
    if (tokens.terms.length === 0) this.filters.put(path, PRESENT);
  }

  keyword(field: CompiledField, value: string): void {
    this.put(field, value);
  }

  ip(field: CompiledField, key: string): void {
    this.put(field, key);
  }

  number(field: CompiledField, value: number): void {
    this.put(field, value);
  }

  boolean(field: CompiledField, value: boolean): void {
    this.put(field, value ? 1 : 0);
  }

  date(field: CompiledField, ms: number): void {
    this.put(field, ms);
  }

  point(field: CompiledField, lat: number, lon: number): void {
    this.put(field, { lat, lon });
  }

  shape(field: CompiledField): void {
    this.put(field, PRESENT);
  }

  binary(field: CompiledField): void {
    this.put(field, PRESENT);
  }

  /** The values of nested objects are tested together. */
  beginNested(): void {}

  endNested(): void {}

  private put({ ordinal }: CompiledField, value: JsonValue): void {
    const path = this.paths[ordinal];
    if (path !== undefined) this.filters.put(path, value);
  }

  private metadataField(name: keyof DocumentMetadata): CompiledField {
    return this.mapping.fields.get(`_meta.${name}`) as CompiledField;
  }
}
