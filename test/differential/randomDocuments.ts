/* Documents for a random mapping: mostly well formed, with nulls, lists, unknown fields and values of a wrong type. */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { Chance } from './Chance.js';
import type { RandomField, RandomMapping } from './randomMapping.js';
import { randomDate, randomOddValue, randomText, randomValue } from './randomValue.js';

/** @param oddness so many of a hundred documents may hold values that do not fit */
export function randomDocument(
  mapping: RandomMapping,
  chance: Chance,
  oddness: number,
): JsonObject {
  const isOdd = chance.percent(oddness);
  const write = (field: RandomField): JsonValue | undefined => fieldValue(field, chance, isOdd);
  const root: Record<string, JsonValue> = {};
  for (const field of mapping.fields) {
    if (field.isDerived === true || field.nestedPath !== undefined) continue;
    const value = write(field);
    if (value !== undefined) place(root, field.name.split('.'), value, chance);
  }
  for (const path of mapping.nestedPaths) {
    if (path.split('.').length > 1) continue;
    const items = nestedItems(path, mapping, chance, isOdd);
    if (items !== undefined) root[path] = items;
  }
  addDynamic(root, chance);
  return root;
}

function nestedItems(
  path: string,
  mapping: RandomMapping,
  chance: Chance,
  isOdd: boolean,
): JsonValue | undefined {
  if (chance.percent(15)) return undefined;
  if (chance.percent(3)) return chance.of<JsonValue>([null, [], {}, [null, {}]]);
  if (isOdd && chance.percent(10)) return randomOddValue(chance);
  const item = (): JsonObject => {
    const object: Record<string, JsonValue> = {};
    for (const field of mapping.fields) {
      if (field.nestedPath !== path || field.isDerived === true) continue;
      const value = fieldValue(field, chance, isOdd);
      if (value !== undefined)
        place(object, field.name.slice(path.length + 1).split('.'), value, chance);
    }
    const inner = mapping.nestedPaths.find((each) => each.startsWith(`${path}.`));
    const items = inner === undefined ? undefined : nestedItems(inner, mapping, chance, isOdd);
    if (inner !== undefined && items !== undefined) object[inner.slice(path.length + 1)] = items;
    return object;
  };
  return chance.percent(25) ? item() : chance.list(chance.between(1, 4), item);
}

function fieldValue(field: RandomField, chance: Chance, isOdd: boolean): JsonValue | undefined {
  if (chance.percent(14)) return undefined;
  if (chance.percent(4)) return chance.of<JsonValue>([null, null, [], [null]]);
  // An object in place of binary content puts the server's parser out of step: what comes after is lost.
  if (isOdd && field.type !== 'binary' && chance.percent(8)) {
    const value = randomOddValue(chance);
    // JavaScript holds no date of so many seconds.
    if (field.format === 'epoch_second' && value === 12_345_678_901_234) return 12_345_678_901;
    // A server stores it as 0.
    return value === 'NaN' && /^(integer|short|byte)$/.test(field.type) ? 'nan' : value;
  }
  const one = (): JsonValue => randomValue(field, chance);
  if (!chance.percent(18)) return one();
  const values = chance.list(chance.between(1, 4), one);
  if (field.type === 'geo_point')
    return values.map((value) => (Array.isArray(value) ? '1,1' : value));
  if (chance.percent(10)) return [values.slice(0, 1), ...values.slice(1)];
  return chance.percent(10) ? [...values, null] : values;
}

/** Under its path: as objects inside each other, at times as one dotted key. */
function place(
  root: Record<string, JsonValue>,
  path: readonly string[],
  value: JsonValue,
  chance: Chance,
): void {
  const [head = '', ...rest] = path;
  if (rest.length === 0) {
    root[head] = value;
    return;
  }
  if (chance.percent(4)) {
    root[path.join('.')] = value;
    return;
  }
  const held = root[head];
  const inner = (typeof held === 'object' && held !== null ? held : {}) as Record<
    string,
    JsonValue
  >;
  root[head] = inner;
  place(inner, rest, value, chance);
}

function addDynamic(root: Record<string, JsonValue>, chance: Chance): void {
  const makers: Readonly<Record<string, () => JsonValue>> = {
    dynText: () => randomText(chance),
    dynLong: () => chance.of<JsonValue>([1, 2, 3, 1000, [1, 2], null]),
    dynFloat: () => chance.of([1.5, 2.25, 0.1, 3, 1e22]),
    dynFlag: () => chance.percent(50),
    dynDate: () =>
      chance.of<JsonValue>([randomDate(chance, 'yyyy-MM-dd'), '2024/03/01', '2024/03/01 10:00:00']),
    dynObject: () => ({
      inner: chance.below(5),
      ...(chance.percent(20) ? { more: { deep: 'mill' } } : {}),
    }),
  };
  if (!chance.percent(30)) return;
  for (const [name, make] of Object.entries(makers)) if (chance.percent(30)) root[name] = make();
  if (chance.percent(5))
    root[chance.of(['extra.dotted', 'constructor', 'Größe', 'with space'])] = notMixed(
      randomOddValue(chance),
    );
}

/** New fields from lists of several types are left out: see docs/reference/engine-differences.md. */
function notMixed(value: JsonValue): JsonValue {
  return Array.isArray(value) ? 'mill' : value;
}
