import { parseDistance } from '../geo/parsePoint.js';
import { readBox } from '../kinds/geoKinds.js';
import { MAX_BUCKETS } from '../MAX_BUCKETS.js';
import { Options, toNumber } from '../parse/Options.js';
import { SUPPOSED_VALUES, type AggregationKind } from './AggregationKind.js';
import { isGeo, readField, valuesBinder } from './fieldValues.js';

const EARTH_EQUATOR_M = 40_075_016.685_578_49;
const EARTH_POLAR_M = 19_970_326.371_122_92;

/** `geohash_grid`. */
export const GEOHASH_GRID_KIND: AggregationKind<'geohash_grid'> = {
  parse(options, base) {
    const bounds = options.raw('bounds');
    const box =
      bounds === undefined ? undefined : readBox(Options.from(bounds, `${options.path}.bounds`, 'bounds'), false);
    options.drop('shard_size');
    return {
      kind: 'geohash_grid',
      ...readField(options, base),
      precision: readPrecision(options),
      size: options.number('size', { min: 1, max: MAX_BUCKETS, isInteger: true }) ?? 10_000,
      ...(box && {
        bounds: { topLeft: { lat: box.top, lon: box.left }, bottomRight: { lat: box.bottom, lon: box.right } },
      }),
    };
  },
  bind: valuesBinder(isGeo),
  children: 'in buckets',
  counts: ({ size }) => ({ buckets: size, placements: SUPPOSED_VALUES, certain: 0 }),
};

/** Characters, or a length: the shortest hash whose cells are not larger, by Elasticsearch's formula. */
function readPrecision(options: Options): number {
  const value = options.raw('precision');
  if (value === undefined) return 5;
  const number = toNumber(value);
  if (number !== undefined) {
    if (Number.isInteger(number) && number >= 1 && number <= 12) return number;
    return options.fail('precision', 'an integer from 1 to 12 or a length such as "1km"');
  }
  const metres = parseDistance(value);
  if (metres === undefined || metres <= 0)
    return options.fail('precision', 'an integer from 1 to 12 or a length such as "1km"');
  const precision = hashLength(metres);
  return precision <= 12 ? Math.max(1, precision) : options.fail('precision', 'a length of at least some centimetres');
}

function hashLength(metres: number): number {
  const width = metres / (1 + EARTH_POLAR_M / EARTH_EQUATOR_M);
  const bits = Math.floor(Math.log2(Math.ceil(EARTH_EQUATOR_M / width))) + 1;
  const full = Math.trunc(bits / 5);
  const left = bits - full * 5;
  return full * 2 + (left > 0 ? 1 : 0) + (left > 3 ? 1 : 0);
}
