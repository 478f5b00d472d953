import type { JsonValue } from '@millrace/kernel';
import type { Chance } from './Chance.js';
import {
  DYNAMIC_FIELDS,
  type LeafKind,
  type RandomField,
  type RandomMapping,
} from './randomMapping.js';
import { randomOddValue, randomValue } from './randomValue.js';

const NUMBERS: readonly LeafKind[] = [
  'byte',
  'short',
  'integer',
  'long',
  'float',
  'double',
  'half_float',
];

/** What the generators of requests draw from: the fields of the collection as seen from one place of the request. */
export class RequestContext {
  private readonly visible: readonly RandomField[];

  constructor(
    readonly chance: Chance,
    readonly mapping: RandomMapping,
    /** So many of a hundred choices of fields and values may be unfit. */
    readonly oddness: number,
    /** The nested field whose objects the request is about here. */
    readonly nestedPath?: string,
  ) {
    const all = [...mapping.fields, ...DYNAMIC_FIELDS];
    this.visible = all.filter((field) => field.nestedPath === nestedPath);
  }

  /** Back at the documents themselves. */
  outside(): RequestContext {
    return new RequestContext(this.chance, this.mapping, this.oddness);
  }

  inside(nestedPath: string): RequestContext {
    return new RequestContext(this.chance, this.mapping, this.oddness, nestedPath);
  }

  /** Nested fields directly below this place. */
  get innerPaths(): readonly string[] {
    const { nestedPath } = this;
    const prefix = nestedPath === undefined ? '' : `${nestedPath}.`;
    return this.mapping.nestedPaths.filter(
      (path) => path.startsWith(prefix) && !path.slice(prefix.length).includes('.'),
    );
  }

  /** A field, of one of the types unless none is there or the odd case is drawn. */
  field(...types: readonly LeafKind[]): RandomField {
    const { chance } = this;
    if (chance.percent(this.oddness)) {
      if (chance.percent(30))
        return {
          name: chance.of(['nowhere', 'object', 'text.nowhere', 'items', 'long.x']),
          type: 'keyword',
        };
      return chance.of([...this.mapping.fields, ...DYNAMIC_FIELDS]);
    }
    const fit = this.visible.filter((field) => types.length === 0 || types.includes(field.type));
    if (fit.length > 0) return chance.of(fit);
    return this.visible.length > 0 && types.length === 0
      ? chance.of(this.visible)
      : { name: 'nowhere', type: types[0] ?? 'keyword' };
  }

  /** As `field`, for sorts and aggregations: seldom one without values for them. */
  valueField(...types: readonly LeafKind[]): RandomField {
    let field = this.field(...types);
    for (
      let tries = 0;
      tries < 4 && field.lacksValues === true && !this.chance.percent(this.oddness);
      tries += 1
    ) {
      field = this.field(...types);
    }
    return field;
  }

  numberField(): RandomField {
    return this.valueField(...NUMBERS);
  }

  /** One scalar to ask the field for. */
  value(field: RandomField): JsonValue {
    const { chance } = this;
    const value = chance.percent(this.oddness)
      ? randomOddValue(chance)
      : randomValue(field, chance);
    if (field.type === 'geo_point' || typeof value !== 'object' || value === null) return value;
    return chance.percent(this.oddness) ? value : 'mill';
  }
}
