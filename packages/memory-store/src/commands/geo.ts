import { isJsonObject } from '@millrace/kernel';
import { failure, SYNTAX_ERROR } from '../keyspace/failure.js';
import { formatFixed } from '../keyspace/formatDouble.js';
import { distanceM } from '../keyspace/geo/distance.js';
import { cellNumber, cellOf, isPlace, MAX_STEP, pointOfScore, type Point } from '../keyspace/geo/GeoCell.js';
import { geohashText } from '../keyspace/geo/geohashText.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { SortedSet } from '../keyspace/values/SortedSet.js';
import { floatAt, wordAt } from '../keyspace/words.js';
import { decimal, keyword, value } from './ArgumentKind.js';
import { inBody, top } from './argumentsAt.js';
import type { ArgumentSource, Home } from './ArgumentSource.js';
import { family, reads, writes } from './Command.js';
import { invalid, missing, readOne, toWord, type CommandPart } from './CommandPart.js';
import { addScored } from './sortedSets.js';

const key = top.key();
const members = top.list('member', 'members', value);
const METRES: Readonly<Record<string, number>> = { M: 1, KM: 1000, FT: 0.3048, MI: 1609.34 };

/** Units of distance, in capitals like all keywords. */
export const UNITS = ['M', 'KM', 'FT', 'MI'] as const;

/** One optional argument of a geospatial command. */
export const describe = (name: string, home: Home, kind: typeof decimal = decimal) => ({
  name,
  home,
  kind,
  isRequired: false,
});

/** Options, then longitude, latitude and name of each place. */
const geoaddParts: CommandPart = {
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

type Place = readonly [unknown, unknown, unknown];

/** Geospatial commands, except searches. */
export const geo = family({
  geoadd: writes('Adds places.', [key, geoaddParts], 'integer', function* (db, args) {
    let at = 1;
    while (/^(?:nx|xx|ch)$/i.test(wordAt(args, at))) at++;
    const words = args.slice(at);
    const flags = new Set(args.slice(1, at).map((flag) => flag.toUpperCase()));
    if (flags.has('NX') && flags.has('XX')) throw failure(SYNTAX_ERROR);
    if (words.length === 0 || words.length % 3 !== 0) throw failure(SYNTAX_ERROR);
    const scored: string[] = [];
    for (let place = 0; place < words.length; place += 3) {
      const score = cellNumber(cellOf(pointAt(words, place), MAX_STEP));
      scored.push(String(score), wordAt(words, place + 2));
    }
    const command = [...args.slice(0, at), ...scored];
    const added = yield* addScored(db, command);
    db.effects = [['ZADD', ...command]];
    return added;
  }),
  geodist: reads(
    'Returns the distance between two places.',
    [key, top.value('member1'), top.value('member2'), top.option('unit', keyword(...UNITS))],
    'textOrNull',
    (db, args) => {
      const unitM = args.length > 3 ? unitAt(args, 3) : 1;
      if (args.length > 4) throw failure(SYNTAX_ERROR);
      const set = db.collection(wordAt(args, 0), SortedSet);
      const [first, second] = [set?.scoreOf(wordAt(args, 1)), set?.scoreOf(wordAt(args, 2))];
      if (first === undefined || second === undefined) return null;
      return formatDistance(distanceM(pointOfScore(first), pointOfScore(second)) / unitM);
    },
  ),
  geohash: reads(
    'Returns the geohashes of places.',
    [key, members],
    'textsOrNulls',
    { paths: ['/:_id/:member', '/:_id'] },
    (db, args) => eachScore(db, args, geohashText),
  ),
  geopos: reads(
    'Returns the coordinates of places.',
    [key, members],
    'points',
    { paths: ['/:_id/:member', '/:_id'] },
    (db, args) => eachScore(db, args, (score) => formatPoint(pointOfScore(score))),
  ),
});

/** Metres in a unit. @throws for an unknown one */
export function unitAt(args: readonly string[], at: number): number {
  const unit = wordAt(args, at).toUpperCase();
  const metres = Object.hasOwn(METRES, unit) ? METRES[unit] : undefined;
  if (metres === undefined) throw failure('ERR unsupported unit provided. please use M, KM, FT, MI');
  return metres;
}

/** Parses a longitude and a latitude. @throws if they are out of range */
export function pointAt(args: readonly string[], at: number): Point {
  const point = { longitude: floatAt(args, at), latitude: floatAt(args, at + 1) };
  if (isPlace(point)) return point;
  const pair = `${point.longitude.toFixed(6)},${point.latitude.toFixed(6)}`;
  throw failure(`ERR invalid longitude,latitude pair ${pair}`);
}

/** A distance in the format of replies. */
export function formatDistance(distance: number): string {
  return distance.toFixed(4);
}

/** A point in the format of replies. */
export function formatPoint({ longitude, latitude }: Point): Reply {
  return [formatFixed(longitude), formatFixed(latitude)];
}

function eachScore(db: Keyspace, args: readonly string[], show: (score: number) => Reply): Reply {
  const set = db.collection(wordAt(args, 0), SortedSet);
  return args.slice(1).map((member) => {
    const score = set?.scoreOf(member);
    return score === undefined ? null : show(score);
  });
}

function readPoints(source: ArgumentSource): Place[] {
  const parts = ['longitude', 'latitude', 'name'];
  const single = parts.map((name) => readOne(source, name, 'body'));
  const points: Place[] = [];
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
        [point['longitude'], point['latitude'], point['name']].map((part) => part ?? undefined) as unknown as Place,
      );
    return points;
  }
  if (list.length % 3 !== 0) throw invalid('points', expected, given);
  for (let at = 0; at < list.length; at += 3) points.push([list[at], list[at + 1], list[at + 2]]);
  return points;
}
