import { TokenList } from '@millrace/language';
import {
  analyzerOf,
  DocumentError,
  parseDocument,
  type CompiledField,
  type CompiledMapping,
  type DocumentSink,
} from '@millrace/query';
import type { DocumentMetadata } from '@millrace/kernel';
import type { JsonValue } from '@millrace/language';
import type { IndexedDocument } from '../index/DocumentIndexer.js';
import { presenceKey, termKey, valueKey } from './LiveField.js';

const tokens = new TokenList();

/** A document as the first stage tests it: only the fields that queries name. */
export class LiveDocument implements DocumentSink {
  /** See LiveField.ts. */
  readonly tested: Record<string, JsonValue> = {};
  /** The ordinals of the fields with several numbers or points, which are left out. */
  several: Set<number> | undefined;

  /**
   * @param mapping with at least the used fields
   * @param used whether a query names the field with this ordinal
   */
  constructor(
    { source, meta }: IndexedDocument,
    mapping: CompiledMapping,
    private readonly used: (ordinal: number) => boolean,
  ) {
    try {
      parseDocument(mapping, source, this);
    } catch (error) {
      // Written under an earlier mapping; see DocumentIndexer.
      if (!(error instanceof DocumentError)) throw error;
    }
    this.metadata(meta, mapping);
  }

  text(field: CompiledField, value: string): void {
    if (!this.isPresent(field)) return;
    tokens.clear();
    analyzerOf(field, field.analyzer).analyze(value, tokens, 0);
    for (const term of tokens.terms) this.tested[termKey(field, term)] = true;
  }

  keyword(field: CompiledField, value: string): void {
    if (this.isPresent(field)) this.tested[termKey(field, value)] = true;
  }

  ip(field: CompiledField, key: string): void {
    this.keyword(field, key);
  }

  number(field: CompiledField, value: number): void {
    if (this.isPresent(field)) this.single(field, value);
  }

  boolean(field: CompiledField, value: boolean): void {
    this.number(field, value ? 1 : 0);
  }

  date(field: CompiledField, ms: number): void {
    this.number(field, ms);
  }

  point(field: CompiledField, lat: number, lon: number): void {
    if (this.isPresent(field)) this.single(field, { lat, lon });
  }

  shape(field: CompiledField): void {
    this.isPresent(field);
  }

  binary(field: CompiledField): void {
    this.isPresent(field);
  }

  /** The values of nested objects are tested together. */
  beginNested(): void {}

  endNested(): void {}

  private isPresent(field: CompiledField): boolean {
    const isUsed = this.used(field.ordinal);
    if (isUsed) this.tested[presenceKey(field)] = true;
    return isUsed;
  }

  private single(field: CompiledField, value: JsonValue): void {
    const { tested } = this;
    const key = valueKey(field);
    if (this.several?.has(field.ordinal) === true) return;
    if (!(key in tested)) {
      tested[key] = value;
      return;
    }
    Reflect.deleteProperty(tested, key);
    (this.several ??= new Set()).add(field.ordinal);
  }

  private metadata(meta: DocumentMetadata, { fields }: CompiledMapping): void {
    const field = (name: string) => fields.get(`_meta.${name}`) as CompiledField;
    if (meta.createdAt !== null) this.date(field('createdAt'), meta.createdAt);
    if (meta.updatedAt !== null) this.date(field('updatedAt'), meta.updatedAt);
    if (meta.author !== null) this.keyword(field('author'), meta.author);
    if (meta.updater !== null) this.keyword(field('updater'), meta.updater);
  }
}
