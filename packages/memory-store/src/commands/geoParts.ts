import { isJsonObject, type MemoryArgument } from '@millrace/kernel';
import { argumentsAt, inBody, top } from './argumentsAt.js';
import { decimal, integer, keyword, value } from './ArgumentKind.js';
import type { ArgumentSource, Home } from './ArgumentSource.js';
import { invalid, missing, readFlag, readOne, toWord, type CommandPart } from './CommandPart.js';

/** Units of distance, in capitals like all keywords. */
export const UNITS = ['M', 'KM', 'FT', 'MI'] as const;
const unit = keyword(...UNITS);
const direction = keyword('ASC', 'DESC');
const describe = (name: string, home: Home, kind: typeof decimal = decimal) => ({
  name,
  home,
  kind,
  isRequired: false,
});

/** `distance` and `unit`. */
export const radius: CommandPart = {
  args: [...top.decimal('distance').args, ...top.one('unit', unit).args],
  append: (source, words) => {
    top.decimal('distance').append(source, words);
    top.one('unit', unit).append(source, words);
  },
};

/** `count` with `any`, and the order. */
function limits(home: Home): CommandPart {
  return {
    args: [describe('count', home, integer), ...argumentsAt(home).flag('any').args, describe('sort', home, direction)],
    append: (source, words) => {
      const count = source.read('count', home);
      const isAny = readFlag(source, 'any', home);
      if (count !== undefined) words.push('COUNT', toWord('count', integer, count));
      else if (isAny) throw missing('count', 'a count with "any"');
      if (isAny) words.push('ANY');
      const sort = source.read('sort', home);
      if (sort !== undefined) words.push(toWord('sort', direction, sort));
    },
  };
}

const shown = ['withdist', 'withcoord', 'withhash'].map((flag) => top.flag(flag));

/** The data that a search returns in addition to names, and its limits. */
export const geoOptions: CommandPart = {
  args: [...shown, limits('top')].flatMap(({ args }) => args),
  append: (source, words) => {
    for (const part of [...shown, limits('top')]) part.append(source, words);
  },
};

/** The centre of an area: a member, or coordinates. */
export function center(home: Home): CommandPart {
  return {
    args: ['member', 'longitude', 'latitude'].map((name) => describe(name, home)),
    append: (source, words) => {
      const [member, longitude, latitude] = ['member', 'longitude', 'latitude'].map((name) => source.read(name, home));
      if (member !== undefined && (longitude !== undefined || latitude !== undefined))
        throw invalid('member', 'absent with coordinates', member);
      if (member !== undefined) words.push('FROMMEMBER', toWord('member', value, member));
      else {
        if (longitude === undefined) throw missing('longitude', '"member", or "longitude" and "latitude"');
        if (latitude === undefined) throw missing('latitude', decimal.expected);
        words.push('FROMLONLAT', toWord('longitude', decimal, longitude), toWord('latitude', decimal, latitude));
      }
    },
  };
}

/** The area: a radius, or a width and height; `stores` adds the options of geosearchstore. */
export function searchArea(home: Home, stores = false): CommandPart {
  const at = argumentsAt(home);
  const storeDistance = at.flag('storedist');
  const own = limits(home);
  return {
    args: [
      ...['distance', 'width', 'height'].map((name) => describe(name, home)),
      ...at.one('unit', unit).args,
      ...(stores ? [...own.args, ...storeDistance.args] : []),
    ],
    append: (source, words) => {
      appendArea(source, home, words);
      at.one('unit', unit).append(source, words);
      if (!stores) return;
      own.append(source, words);
      storeDistance.append(source, words);
    },
  };
}

function appendArea(source: ArgumentSource, home: Home, words: MemoryArgument[]): void {
  const [distance, width, height] = ['distance', 'width', 'height'].map((name) => source.read(name, home));
  if (distance !== undefined && (width !== undefined || height !== undefined))
    throw invalid('distance', 'absent with "width" and "height"', distance);
  if (distance !== undefined) words.push('BYRADIUS', toWord('distance', decimal, distance));
  else {
    if (width === undefined) throw missing('distance', '"distance", or "width" and "height"');
    if (height === undefined) throw missing('height', decimal.expected);
    words.push('BYBOX', toWord('width', decimal, width), toWord('height', decimal, height));
  }
}

/** Options, then longitude, latitude and name of each place. */
export const geoaddParts: CommandPart = {
  args: [
    ...['longitude', 'latitude', 'name'].map((name) => describe(name, 'body')),
    { name: 'points', home: 'body', kind: { expected: 'a list', schema: { type: 'array' } }, isRequired: false },
    ...['nx', 'xx', 'ch'].flatMap((flag) => inBody.flag(flag).args),
  ],
  append: (source, words) => {
    for (const flag of ['nx', 'xx', 'ch']) inBody.flag(flag).append(source, words);
    const points = readPoints(source);
    if (points.length === 0) throw missing('points', '"longitude", "latitude" and "name", or a list "points"');
    for (const [longitude, latitude, name] of points)
      words.push(
        toWord('longitude', decimal, longitude),
        toWord('latitude', decimal, latitude),
        toWord('name', value, name),
      );
  },
};

type Point = readonly [unknown, unknown, unknown];

function readPoints(source: ArgumentSource): Point[] {
  const parts = ['longitude', 'latitude', 'name'];
  const single = parts.map((name) => readOne(source, name, 'body'));
  const points: Point[] = [];
  if (single.some((part) => part !== undefined)) {
    const at = single.indexOf(undefined);
    if (at >= 0) throw missing(parts[at] ?? '', 'all of "longitude", "latitude" and "name"');
    points.push([single[0], single[1], single[2]]);
  }
  const given = source.read('points', 'body');
  if (given === undefined) return points;
  const expected = 'a flat list [longitude, latitude, name, …] or a list of objects with these';
  if (!Array.isArray(given)) throw invalid('points', expected, given);
  const list = given as readonly unknown[];
  if (list.every(isJsonObject)) {
    for (const point of list)
      points.push(
        [point['longitude'], point['latitude'], point['name']].map((part) => part ?? undefined) as unknown as Point,
      );
    return points;
  }
  if (list.length % 3 !== 0) throw invalid('points', expected, given);
  for (let at = 0; at < list.length; at += 3) points.push([list[at], list[at + 1], list[at + 2]]);
  return points;
}
