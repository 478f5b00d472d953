import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { LeafKind } from './randomMapping.js';
import { randomQuery } from './randomQuery.js';
import { randomPoint } from './randomValue.js';
import type { RequestContext } from './RequestContext.js';

const KINDS: readonly LeafKind[] = [
  'keyword', 'integer', 'long', 'short', 'byte', 'double', 'float', 'half_float', 'date', 'boolean', 'ip', 'text',
]; // prettier-ignore

/** One or two criteria on declared fields, then `_id`: a total order. */
export function randomSort(context: RequestContext): readonly JsonValue[] {
  const { chance } = context;
  const criteria = chance.list(chance.between(1, 2), () => criterion(context));
  return [...criteria, { _id: chance.of(['asc', 'desc']) }];
}

function criterion(context: RequestContext): JsonValue {
  const { chance } = context;
  const [path] = context.innerPaths;
  if (chance.percent(15)) return geoDistance(context);
  if (chance.percent(10) && path !== undefined) return nestedField(context, path);
  const { name } = context.valueField(...KINDS);
  if (chance.percent(15)) return name.startsWith('dyn') ? 'long' : name;
  return { [name]: fieldOptions(context, name) };
}

function fieldOptions(context: RequestContext, name: string): JsonObject {
  const { chance } = context;
  const field = context.mapping.fields.find((each) => each.name === name);
  const isTerm = /^(keyword|ip|text)$/.test(field?.type ?? 'keyword');
  return chance.options<JsonValue>({
    order: [70, () => chance.of(['asc', 'desc'])],
    mode: [40, () => chance.of(isTerm ? ['min', 'max'] : ['min', 'max', 'sum', 'avg', 'median'])],
    missing: [40, () => chance.of(['_first', '_last'])],
    unmapped_type: [field === undefined ? 100 : 15, () => chance.of(['long', 'keyword', 'date'])],
  });
}

function nestedField(context: RequestContext, path: string): JsonObject {
  const { chance } = context;
  const inside = context.inside(path);
  const { name } = inside.valueField('integer', 'keyword', 'long', 'double', 'date', 'boolean');
  const { mode, ...options } = fieldOptions(inside, name);
  const filter = chance.options<JsonValue>({ filter: [40, () => randomQuery(inside, 0)] });
  // Medians of nested objects are refused.
  return {
    [name]: {
      ...options,
      ...(mode === undefined || mode === 'median' ? {} : { mode }),
      nested: { path, ...filter },
    },
  };
}

function geoDistance(context: RequestContext): JsonObject {
  const { chance } = context;
  const options = chance.options<JsonValue>({
    order: [60, () => chance.of(['asc', 'desc'])],
    unit: [40, () => chance.of(['km', 'm'])],
    mode: [25, () => chance.of(['min', 'max'])],
  });
  return {
    _geo_distance: {
      [context.valueField('geo_point').name]: randomPoint(chance),
      ignore_unmapped: true,
      ...options,
    },
  };
}
