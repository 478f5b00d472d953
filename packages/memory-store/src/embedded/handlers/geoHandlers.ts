import { failure, SYNTAX_ERROR } from '../failure.js';
import { formatFixed } from '../formatDouble.js';
import { distanceM } from '../geo/distance.js';
import { cellNumber, cellOf, isPlace, MAX_STEP, pointOfScore, type Point } from '../geo/GeoCell.js';
import { geohashText } from '../geo/geohashText.js';
import type { Keyspace } from '../Keyspace.js';
import type { Reply } from '../Reply.js';
import { SortedSet } from '../values/SortedSet.js';
import { floatAt, wordAt } from '../words.js';
import { addScored } from './addScored.js';
import type { Handlers } from './Handlers.js';

const METRES: Readonly<Record<string, number>> = { M: 1, KM: 1000, FT: 0.3048, MI: 1609.34 };

/** Read-only geospatial commands, except searches. */
export const geoReaders: Handlers = {
  GEODIST: (db, args) => {
    const unitM = args.length > 3 ? unitAt(args, 3) : 1;
    if (args.length > 4) throw failure(SYNTAX_ERROR);
    const set = db.collection(wordAt(args, 0), SortedSet);
    const [first, second] = [set?.scoreOf(wordAt(args, 1)), set?.scoreOf(wordAt(args, 2))];
    if (first === undefined || second === undefined) return null;
    return formatDistance(distanceM(pointOfScore(first), pointOfScore(second)) / unitM);
  },
  GEOHASH: (db, args) => eachScore(db, args, geohashText),
  GEOPOS: (db, args) => eachScore(db, args, (score) => formatPoint(pointOfScore(score))),
};

/** GEOADD: a sorted set whose scores are cells. */
export const geoWriters: Handlers = {
  *GEOADD(db, args) {
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
  },
};

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
