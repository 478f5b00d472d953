/* Documents for a random mapping: mostly well formed, with nulls, lists, unknown fields and values of a wrong type. */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { Chance } from './Chance.js';
import type { RandomField, RandomMapping } from './randomMapping.js';
import { randomDate, randomOddValue, randomText, randomValue } from './randomValue.js';

type Fields = Record<string, JsonValue>;

/** @param oddness percentage of documents that may hold a value that does not fit */
export function randomDocument(mapping: RandomMapping, chance: Chance, oddness: number): JsonObject {
  return new DocumentWriter(mapping, chance, chance.percent(oddness)).write();
}

class DocumentWriter {
  constructor(
    private readonly mapping: RandomMapping,
    private readonly chance: Chance,
    private readonly isOdd: boolean,
  ) {}

  write(): JsonObject {
    const root = this.object(undefined);
    if (this.chance.percent(30)) this.addDynamic(root);
    return root;
  }

  /** The fields of the document or of one nested object. */
  private object(nestedPath: string | undefined): Fields {
    const object: Fields = {};
    const skipped = nestedPath === undefined ? 0 : nestedPath.length + 1;
    for (const field of this.mapping.fields) {
      if (field.nestedPath !== nestedPath || field.isDerived === true) continue;
      const value = this.fieldValue(field);
      if (value !== undefined) place(object, field.name.slice(skipped).split('.'), value);
    }
    for (const path of this.mapping.nestedPaths) {
      const name = path.slice(skipped);
      if (name.includes('.') || (nestedPath !== undefined && !path.startsWith(`${nestedPath}.`))) continue;
      if (path === nestedPath || this.chance.percent(18)) continue;
      const item = () => this.object(path);
      object[name] = this.chance.percent(25) ? item() : this.chance.list(this.chance.between(1, 4), item);
    }
    return object;
  }

  private fieldValue(field: RandomField): JsonValue | undefined {
    const { chance } = this;
    if (chance.percent(14)) return undefined;
    if (chance.percent(4)) return chance.of<JsonValue>([null, [], [null]]);
    if (this.isOdd && field.type !== 'binary' && chance.percent(8)) return randomOddValue(chance);
    if (!chance.percent(18)) return randomValue(field, chance);
    const values = chance.list(chance.between(1, 4), () => randomValue(field, chance));
    // Within a list of points, a list of numbers is a point too: written otherwise here.
    return field.type === 'geo_point' ? values.map((value) => (Array.isArray(value) ? '1,1' : value)) : values;
  }

  private addDynamic(root: Fields): void {
    const { chance } = this;
    const added = chance.options<JsonValue>({
      dynText: [30, () => randomText(chance)],
      dynLong: [30, () => chance.of<JsonValue>([1, 2, 3, 1000, [1, 2], null])],
      dynFloat: [30, () => chance.of([1.5, 2.25, 0.5])],
      dynFlag: [30, () => chance.percent(50)],
      dynDate: [30, () => randomDate(chance, 'yyyy-MM-dd')],
      dynObject: [30, () => ({ inner: chance.below(5) })],
      'with space': [3, () => 'mill'],
    });
    Object.assign(root, added);
  }
}

/** Puts a value under its path, as objects inside each other. */
function place(root: Fields, path: readonly string[], value: JsonValue): void {
  const [head = '', ...rest] = path;
  if (rest.length === 0) root[head] = value;
  else place((root[head] ??= {}) as Fields, rest, value);
}
