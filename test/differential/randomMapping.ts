/*
 * Mappings of collections for the differential test. Field names tell their type to the reader of a difference (`text0`,
 * `keyword1`); parameters are drawn, so that each run of the test sees other combinations.
 */
import type { JsonObject } from '@millrace/kernel';
import type { Chance } from './Chance.js';

/** Types of fields with values: the types that the Elasticsearch of the tests has. */
export type LeafKind =
  | 'text'
  | 'keyword'
  | 'byte'
  | 'short'
  | 'integer'
  | 'long'
  | 'float'
  | 'double'
  | 'half_float'
  | 'boolean'
  | 'date'
  | 'ip'
  | 'geo_point'
  | 'binary';

/** A field that requests can name. */
export interface RandomField {
  readonly name: string;
  readonly type: LeafKind;
  /** Of date fields that have one. */
  readonly format?: string;
  /** Can't be sorted or aggregated: `text` without `fielddata`, `doc_values: false`. */
  readonly lacksValues?: boolean;
  /** False with `index: false`: queries are refused. */
  readonly isSearchable?: boolean;
  /** The innermost nested field it lies in. */
  readonly nestedPath?: string;
  /** Multi-fields and targets of `copy_to`, which documents don't hold. */
  readonly isDerived?: boolean;
}

/** A mapping and what the generators need to know of it. */
export interface RandomMapping {
  readonly body: JsonObject;
  readonly fields: readonly RandomField[];
  readonly nestedPaths: readonly string[];
}

/** Fields that dynamic mappings add. */
export const DYNAMIC_FIELDS: readonly RandomField[] = [
  { name: 'dynText', type: 'text', lacksValues: true },
  { name: 'dynText.keyword', type: 'keyword', isDerived: true },
  { name: 'dynLong', type: 'long' },
  { name: 'dynFloat', type: 'float' },
  { name: 'dynFlag', type: 'boolean' },
  { name: 'dynDate', type: 'date' },
  { name: 'dynObject.inner', type: 'long' },
];

const KINDS: readonly LeafKind[] = [
  'text', 'text', 'text', 'keyword', 'keyword', 'keyword', 'byte', 'short', 'integer', 'integer', 'long', 'long',
  'float', 'double', 'double', 'half_float', 'boolean', 'boolean', 'date', 'date', 'ip', 'geo_point', 'geo_point', 'binary',
]; // prettier-ignore
/** Built-in analyzers, for fields and for queries. */
export const ANALYZERS = [
  'standard', 'simple', 'whitespace', 'keyword', 'english', 'french', 'german',
]; // prettier-ignore
/** Formats that `randomDate` writes. */
const DATE_FORMATS = [
  'strict_date_optional_time||epoch_millis', 'yyyy-MM-dd', 'yyyy-MM-dd HH:mm:ss||yyyy-MM-dd', 'epoch_second', 'dd/MM/yyyy',
] as const; // prettier-ignore
/** Fields that hold numbers. */
export const NUMBERS: readonly LeafKind[] = [
  'byte', 'short', 'integer', 'long', 'float', 'double', 'half_float',
]; // prettier-ignore

/** Draws a mapping with 7 to 13 fields, an object and nested objects. */
export function randomMapping(chance: Chance): RandomMapping {
  return new MappingWriter(chance).write();
}

class MappingWriter {
  private readonly fields: RandomField[] = [];
  private readonly nestedPaths: string[] = [];
  private hasCopies = false;

  constructor(private readonly chance: Chance) {}

  write(): RandomMapping {
    const { chance } = this;
    this.hasCopies = chance.percent(30);
    const properties: Record<string, JsonObject> = {
      text: { type: 'text' },
      keyword: { type: 'keyword' },
      long: { type: 'long' },
      ...this.leaves(chance.between(4, 10), '', undefined),
    };
    this.fields.push(
      { name: 'text', type: 'text', lacksValues: true },
      { name: 'keyword', type: 'keyword' },
      { name: 'long', type: 'long' },
    );
    if (chance.percent(60)) properties['object'] = this.object('object', undefined);
    if (chance.percent(70)) properties['items'] = this.nested('items', 1);
    if (this.hasCopies) {
      properties['copies'] = { type: 'text' };
      this.fields.push({ name: 'copies', type: 'text', isDerived: true, lacksValues: true });
    }
    const body: JsonObject = {
      ...chance.options<string | boolean>({
        dynamic: [35, () => chance.of([true, 'true', false, 'strict'])],
        date_detection: [15, () => false],
        numeric_detection: [10, () => true],
      }),
      properties,
    };
    return { body, fields: this.fields, nestedPaths: this.nestedPaths };
  }

  private leaves(count: number, prefix: string, nestedPath: string | undefined): Record<string, JsonObject> {
    const entries = this.chance.list(count, (position) => {
      const type = this.chance.of(KINDS);
      const name = `${type}${position}`;
      return [name, this.leaf(type, `${prefix}${name}`, nestedPath)] as const;
    });
    return Object.fromEntries(entries);
  }

  private leaf(type: LeafKind, name: string, nestedPath: string | undefined): JsonObject {
    const { chance } = this;
    const place = nestedPath === undefined ? {} : { nestedPath };
    const drawn: JsonObject = { ...this.common(type), ...this.own(type) };
    const { fielddata: _fielddata, term_vector: _vector, ...plain } = drawn;
    // A field that is not indexed has no terms.
    const parameters = drawn['index'] === false ? plain : drawn;
    const format = parameters['format'];
    const lacksValues = type === 'text' ? parameters['fielddata'] !== true : parameters['doc_values'] === false;
    this.fields.push({
      name,
      type,
      ...place,
      ...(typeof format === 'string' ? { format } : {}),
      ...(lacksValues ? { lacksValues } : {}),
      ...(parameters['index'] === false ? { isSearchable: false } : {}),
    });
    if (type !== 'binary' && type !== 'geo_point' && chance.percent(12)) {
      const kinds: LeafKind[] = type === 'text' ? ['keyword', 'text'] : ['keyword'];
      const kind = chance.of(kinds);
      const lacks = kind === 'text' ? { lacksValues: true } : {};
      this.fields.push({ name: `${name}.sub`, type: kind, isDerived: true, ...place, ...lacks });
      const own = kind === 'text' ? { analyzer: chance.of(ANALYZERS) } : this.own('keyword');
      return { type, ...parameters, fields: { sub: { type: kind, ...own } } };
    }
    return { type, ...parameters };
  }

  private common(type: LeafKind): JsonObject {
    if (type === 'binary') return {};
    return this.chance.options<JsonObject | boolean | string>({
      index: [4, () => false],
      store: [4, () => true],
      copy_to: [this.hasCopies && type !== 'geo_point' ? 30 : 0, () => 'copies'],
      doc_values: [type === 'text' ? 0 : 4, () => false],
    });
  }

  private own(type: LeafKind): JsonObject {
    const { chance } = this;
    const isMalformedIgnored = [15, () => true] as const;
    switch (type) {
      case 'text':
        return chance.options<string | boolean | number>({
          analyzer: [50, () => chance.of(ANALYZERS)],
          search_analyzer: [10, () => chance.of(ANALYZERS)],
          norms: [10, () => false],
          index_options: [10, () => chance.of(['positions', 'offsets'])],
          fielddata: [15, () => true],
          term_vector: [5, () => 'with_positions_offsets'],
        });
      case 'keyword':
        return chance.options<string | number>({
          ignore_above: [15, () => chance.of([3, 8, 256])],
          normalizer: [20, () => 'lowercase'],
          null_value: [12, () => chance.of(['none', 'ab'])],
        });
      case 'boolean':
        return chance.options<boolean>({ null_value: [12, () => true] });
      case 'date':
        return chance.options<boolean | string>({
          ignore_malformed: isMalformedIgnored,
          format: [50, () => chance.of(DATE_FORMATS)],
        });
      case 'ip':
      case 'geo_point':
        return chance.options<boolean>({ ignore_malformed: isMalformedIgnored });
      case 'binary':
        return {};
      default:
        return chance.options<boolean | number>({
          ignore_malformed: isMalformedIgnored,
          coerce: [15, () => false],
          null_value: [12, () => 7],
        });
    }
  }

  private object(name: string, nestedPath: string | undefined): JsonObject {
    const { chance } = this;
    return {
      ...chance.options<boolean | string>({
        dynamic: [20, () => chance.of([true, false, 'strict'])],
        enabled: [4, () => false],
        type: [50, () => 'object'],
      }),
      properties: this.leaves(chance.between(1, 3), `${name}.`, nestedPath),
    };
  }

  private nested(name: string, depth: number): JsonObject {
    const { chance } = this;
    this.nestedPaths.push(name);
    const properties: Record<string, JsonObject> = {
      keyword: { type: 'keyword' },
      integer: { type: 'integer' },
      ...this.leaves(chance.between(1, 3), `${name}.`, name),
    };
    this.fields.push(
      { name: `${name}.keyword`, type: 'keyword', nestedPath: name },
      { name: `${name}.integer`, type: 'integer', nestedPath: name },
    );
    if (depth < 2 && chance.percent(40)) properties['parts'] = this.nested(`${name}.parts`, depth + 1);
    if (chance.percent(15)) properties['object'] = this.object(`${name}.object`, name);
    return {
      type: 'nested',
      ...chance.options<boolean | string>({
        include_in_parent: [10, () => true],
        include_in_root: [10, () => true],
        dynamic: [10, () => false],
      }),
      properties,
    };
  }
}
