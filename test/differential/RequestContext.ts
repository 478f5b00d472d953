import type { JsonValue } from '@millrace/kernel';
import type { Chance } from './Chance.js';
import { DYNAMIC_FIELDS, NUMBERS, type LeafKind, type RandomField, type RandomMapping } from './randomMapping.js';
import { randomOddValue, randomValue, randomWord } from './randomValue.js';

/** The fields that one place of a request can name, for the generators. */
export class RequestContext {
  private readonly visible: readonly RandomField[];

  constructor(
    readonly chance: Chance,
    readonly mapping: RandomMapping,
    /** Percentage of choices of fields and values that may be unfit. */
    readonly oddness: number,
    /** The nested field whose objects the request is about here. */
    readonly nestedPath?: string,
  ) {
    const all = [...mapping.fields, ...DYNAMIC_FIELDS];
    this.visible = all.filter((field) => field.nestedPath === nestedPath);
  }

  /** Of the documents themselves. */
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

  /** A field of one of the types, if there is one. */
  field(...types: readonly LeafKind[]): RandomField {
    return this.draw(types, ({ isSearchable }) => isSearchable !== false);
  }

  /** As `field`, but one that can be sorted and aggregated. */
  valueField(...types: readonly LeafKind[]): RandomField {
    return this.draw(types, ({ lacksValues }) => lacksValues !== true);
  }

  numberField(): RandomField {
    return this.valueField(...NUMBERS);
  }

  /** One value that `term` compares with: a single lower-case word for text fields. */
  term(field: RandomField): JsonValue {
    return field.type === 'text' ? randomWord(this.chance).toLowerCase() : this.value(field);
  }

  /** One value to ask the field for. */
  value(field: RandomField): JsonValue {
    const isOdd = this.chance.percent(this.oddness);
    return isOdd ? randomOddValue(this.chance) : randomValue(field, this.chance);
  }

  private draw(types: readonly LeafKind[], isFit: (field: RandomField) => boolean): RandomField {
    const { chance, visible, mapping } = this;
    if (chance.percent(this.oddness))
      return chance.percent(30)
        ? { name: chance.of(['nowhere', 'text.nowhere', 'items']), type: 'keyword' }
        : chance.of([...mapping.fields, ...DYNAMIC_FIELDS]);
    const fit = visible.filter((field) => isFit(field) && (types.length === 0 || types.includes(field.type)));
    return fit.length > 0 ? chance.of(fit) : { name: 'nowhere', type: types[0] ?? 'keyword' };
  }
}
