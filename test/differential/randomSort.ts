import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { RandomField } from './randomMapping.js';
import { randomQuery } from './randomQuery.js';
import { randomPoint } from './randomValue.js';
import type { RequestContext } from './RequestContext.js';

/** One to three criteria; mostly ended by `_id`, so that the order is total. */
export function randomSort(context: RequestContext): readonly JsonValue[] {
  const { chance } = context;
  const criteria = chance.list(chance.between(1, 2), () => criterion(context));
  return chance.percent(75) ? [...criteria, { _id: chance.of(['asc', 'desc']) }] : criteria;
}

function criterion(context: RequestContext): JsonValue {
  const { chance } = context;
  const order = () => chance.of(['asc', 'desc']);
  switch (chance.below(12)) {
    case 0:
      return chance.of<JsonValue>(['_score', { _score: order() }, { _score: { order: order() } }]);
    case 1:
    case 2:
      return geoDistance(context);
    case 3: {
      const [path] = context.innerPaths;
      return path === undefined ? '_id' : nestedField(context, path);
    }
    case 4:
      return chance.of<JsonValue>([mappedName(context), { [mappedName(context)]: order() }]);
    default: {
      const field = context.valueField(
        'keyword',
        'integer',
        'long',
        'short',
        'byte',
        'double',
        'float',
        'half_float',
        'date',
        'boolean',
        'ip',
        'text',
      );
      return { [field.name]: fieldOptions(context, field) };
    }
  }
}

function fieldOptions(context: RequestContext, field: RandomField): JsonObject {
  const { chance } = context;
  const isTerm = field.type === 'keyword' || field.type === 'ip' || field.type === 'text';
  const modes =
    isTerm && !chance.percent(context.oddness)
      ? ['min', 'max']
      : ['min', 'max', 'sum', 'avg', 'median'];
  return chance.options<JsonValue>({
    order: [70, () => chance.of(['asc', 'desc'])],
    mode: [40, () => chance.of(modes)],
    missing: [40, () => chance.of<JsonValue>(['_first', '_last', context.value(field)])],
    unmapped_type: [
      /^(dyn|nowhere)/.test(field.name) ? 95 : 15,
      () => chance.of(['long', 'keyword', 'date', 'double']),
    ],
    format: [field.type === 'date' ? 20 : 1, () => chance.of(['yyyy-MM-dd', 'epoch_millis'])],
    numeric_type: [
      isTerm || field.type === 'boolean' ? context.oddness : 10,
      () => chance.of(['long', 'double', 'date']),
    ],
  });
}

function nestedField(context: RequestContext, path: string): JsonObject {
  const { chance } = context;
  const inside = context.inside(path);
  const field = inside.valueField('integer', 'keyword', 'long', 'double', 'date', 'boolean');
  const nested: JsonObject = {
    path,
    ...chance.options<JsonValue>({ filter: [40, () => randomQuery(inside, 0)] }),
  };
  return { [field.name]: { ...fieldOptions(inside, field), nested } };
}

function geoDistance(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = context.valueField('geo_point');
  const points = chance.percent(80)
    ? randomPoint(chance)
    : chance.list(2, () => ({ lat: chance.between(-50, 50), lon: chance.between(-170, 170) }));
  return {
    _geo_distance: {
      [field.name]: points,
      ...chance.options<JsonValue>({
        order: [60, () => chance.of(['asc', 'desc'])],
        unit: [40, () => chance.of(['km', 'mi', 'm'])],
        mode: [25, () => chance.of(['min', 'max', 'avg', 'median'])],
        distance_type: [15, () => chance.of(['arc', 'plane'])],
        ignore_unmapped: [field.name === 'nowhere' ? 95 : 30, () => true],
      }),
    },
  };
}

/** Sorting by a field that is not mapped is refused. */
function mappedName(context: RequestContext): string {
  const { name } = context.valueField();
  return /^(dyn|nowhere)/.test(name) && !context.chance.percent(10) ? 'long' : name;
}
