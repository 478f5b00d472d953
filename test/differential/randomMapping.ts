/*
 * Mappings of collections for the differential test. Field names tell their type to the reader of a difference (`text0`,
 * `keyword1`); parameters are drawn, so that each run of the test sees other combinations.
 */
import type { JsonObject } from '@millrace/kernel';
import type { Chance } from './Chance.js';

/** What can be a leaf here: the types that the server of the test has. */
export type LeafKind =
  | 'text' | 'keyword' | 'byte' | 'short' | 'integer' | 'long' | 'float' | 'double' | 'half_float'
  | 'boolean' | 'date' | 'ip' | 'geo_point' | 'binary'; // prettier-ignore

/** A field that requests can name. */
export interface RandomField {
  readonly name: string;
  readonly type: LeafKind;
  /** Of date fields that have one. */
  readonly format?: string;
  /** Can't be sorted or aggregated: `text` without `fielddata`, `doc_values: false`. */
  readonly lacksValues?: boolean;
  /** The innermost nested field it lies in. */
  readonly nestedPath?: string;
  /** Multi-fields and targets of `copy_to` have no values of their own in documents. */
  readonly isDerived?: boolean;
}

/** A mapping and what the generators of documents and requests need to know of it. */
export interface RandomMapping {
  readonly body: JsonObject;
  readonly fields: readonly RandomField[];
  readonly nestedPaths: readonly string[];
}

/** Fields that documents bring by themselves; what they become depends on the first value. */
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
const ANALYZERS = [
  'standard', 'simple', 'whitespace', 'keyword', 'english', 'stop', 'french', 'german', 'italian', 'portuguese', 'dutch',
]; // prettier-ignore
/** Formats that documents are written in by `randomDocuments`. */
export const DATE_FORMATS = [
  'strict_date_optional_time||epoch_millis',
  'yyyy-MM-dd',
  'yyyy-MM-dd HH:mm:ss||yyyy-MM-dd',
  'epoch_second',
  'basic_date',
  'dd/MM/yyyy',
  'date_hour_minute_second',
] as const;

/** Draws a mapping with 5 to 12 fields beside an object and nested ones. */
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

  private leaves(
    count: number,
    prefix: string,
    nestedPath: string | undefined,
  ): Record<string, JsonObject> {
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
    const {
      position_increment_gap: _gap,
      fielddata: _fielddata,
      term_vector: _vector,
      ...plain
    } = drawn;
    // What is not indexed has no positions, no terms and no vectors of them.
    const parameters = drawn['index'] === false ? plain : drawn;
    const format = parameters['format'];
    const lacksValues =
      type === 'text' ? parameters['fielddata'] !== true : parameters['doc_values'] === false;
    this.fields.push({
      name,
      type,
      ...place,
      ...(typeof format === 'string' ? { format } : {}),
      ...(lacksValues ? { lacksValues } : {}),
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
    const { chance } = this;
    if (type === 'binary') return {};
    return {
      ...chance.options<JsonObject | boolean | string>({
        index: [4, () => false],
        store: [4, () => true],
        meta: [2, () => ({ unit: 'm' })],
        ...(this.hasCopies && type !== 'geo_point' ? { copy_to: [30, () => 'copies'] } : {}),
        ...(type === 'text' ? {} : { doc_values: [4, () => false] }),
      }),
    };
  }

  private own(type: LeafKind): JsonObject {
    const { chance } = this;
    const malformed = { ignore_malformed: [15, () => true] as const };
    switch (type) {
      case 'text':
        return chance.options<string | boolean | number>({
          analyzer: [50, () => chance.of(ANALYZERS)],
          search_analyzer: [10, () => chance.of(ANALYZERS)],
          norms: [10, () => false],
          ...(chance.percent(50)
            ? { index_options: [20, () => chance.of(['docs', 'freqs', 'positions', 'offsets'])] }
            : { position_increment_gap: [20, () => chance.of([0, 1, 5])] }),
          fielddata: [15, () => true],
          term_vector: [5, () => 'with_positions_offsets'],
        });
      case 'keyword':
        return chance.options<string | boolean | number>({
          ignore_above: [15, () => chance.of([0, 3, 8, 256])],
          normalizer: [20, () => 'lowercase'],
          null_value: [12, () => chance.of(['none', 'ab', ''])],
          norms: [5, () => true],
        });
      case 'byte':
      case 'short':
      case 'integer':
      case 'long':
        return chance.options<boolean | number>({
          ...malformed,
          coerce: [15, () => false],
          null_value: [12, () => chance.of([0, 7, -1])],
        });
      case 'float':
      case 'double':
      case 'half_float':
        return chance.options<boolean | number>({
          ...malformed,
          coerce: [15, () => false],
          null_value: [12, () => chance.of([0.5, 7])],
        });
      case 'boolean':
        return chance.options<boolean | string>({
          null_value: [12, () => chance.of([true, 'false'])],
        });
      case 'date':
        return chance.options<boolean | string>({
          ...malformed,
          format: [50, () => chance.of(DATE_FORMATS)],
        });
      case 'ip':
        return chance.options<boolean | string>({
          ...malformed,
          null_value: [10, () => '10.0.0.1'],
        });
      case 'geo_point':
        return chance.options<boolean | string>({ ...malformed, null_value: [10, () => '1,2'] });
      case 'binary':
        return chance.options<boolean>({ doc_values: [40, () => true] });
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
    if (depth < 2 && chance.percent(40))
      properties['parts'] = this.nested(`${name}.parts`, depth + 1);
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
