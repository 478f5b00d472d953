import type { MemoryArgument } from '@millrace/kernel';
import { failure, SYNTAX_ERROR } from '../keyspace/failure.js';
import { distanceM, latitudeDistanceM } from '../keyspace/geo/distance.js';
import { cellNumber, MAX_STEP, pointOfScore, type Point } from '../keyspace/geo/GeoCell.js';
import { searchCells, type SearchArea } from '../keyspace/geo/searchCells.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { SortedSet } from '../keyspace/values/SortedSet.js';
import { floatAt, integerAt, wordAt } from '../keyspace/words.js';
import { sortInSteps } from '../steps/sortInSteps.js';
import { mapInSteps, type Steps } from '../steps/Steps.js';
import { decimal, integer, keyword, value } from './ArgumentKind.js';
import { argumentsAt, inBody, top } from './argumentsAt.js';
import type { ArgumentSource, Home } from './ArgumentSource.js';
import { family, readsWhole, writesWhole } from './Command.js';
import { invalid, missing, readFlag, toWord, type CommandPart } from './CommandPart.js';
import { describe, formatDistance, formatPoint, pointAt, unitAt, UNITS } from './geo.js';
import { assertElements, MAX_SORTED_ELEMENTS } from './limits.js';
import { rankRange, storeScored } from './sortedSetRanges.js';

const unit = keyword(...UNITS);
const direction = keyword('ASC', 'DESC');

/** `distance` and `unit`. */
const radius: CommandPart = {
  args: [...top.decimal('distance').args, ...top.one('unit', unit).args],
  append: (source, words) => {
    top.decimal('distance').append(source, words);
    top.one('unit', unit).append(source, words);
  },
};

const shown = ['withdist', 'withcoord', 'withhash'].map((flag) => top.flag(flag));

/** The data that a search returns in addition to names, and its limits. */
const geoOptions: CommandPart = {
  args: [...shown, limits('top')].flatMap(({ args }) => args),
  append: (source, words) => {
    for (const part of [...shown, limits('top')]) part.append(source, words);
  },
};

interface Hit {
  readonly member: string;
  readonly score: number;
  readonly point: Point;
  readonly distanceM: number;
}

/** The parameters of a search; `key` is the set that contains a member used as the centre. */
interface Search {
  readonly area: SearchArea | undefined;
  readonly unitM: number;
  readonly options: SearchOptions;
}

interface Found {
  readonly hits: readonly Hit[];
  readonly search: Search;
}

interface SearchOptions {
  readonly shown: ReadonlySet<string>;
  readonly sort: 'ASC' | 'DESC' | undefined;
  /** 0: all. */
  readonly count: number;
  readonly isAny: boolean;
}

const PLACES_PER_STEP = 256;
const AT_KEY = { paths: ['/:_id'] };
const key = top.key();
const byPosition = [key, top.decimal('longitude'), top.decimal('latitude'), radius, geoOptions];
const byMember = [key, top.value('member'), radius, geoOptions];

/** Geospatial searches. */
export const geoSearches = family({
  // Storing is not supported, so the read-only variants of the commands are run.
  georadius: readsWhole(
    'Finds places around a point.',
    byPosition,
    'places',
    { ...AT_KEY, word: 'GEORADIUS_RO' },
    aroundPoint,
  ),
  georadius_ro: readsWhole('Finds places around a point.', byPosition, 'places', AT_KEY, aroundPoint),
  georadiusbymember: readsWhole(
    'Finds places around a place.',
    byMember,
    'places',
    { ...AT_KEY, word: 'GEORADIUSBYMEMBER_RO' },
    aroundMember,
  ),
  georadiusbymember_ro: readsWhole('Finds places around a place.', byMember, 'places', AT_KEY, aroundMember),
  geosearch: readsWhole(
    'Finds places in an area.',
    [key, center('top'), searchArea('top'), geoOptions],
    'places',
    AT_KEY,
    (db, args) => {
      const set = db.collection(wordAt(args, 0), SortedSet);
      return show(find(set, readSearch(set, args, 1)));
    },
  ),
  geosearchstore: writesWhole(
    'Stores the places in an area.',
    [inBody.key('destination'), key, center('body'), searchArea('body', true)],
    'integer',
    function* (db, args) {
      const set = db.collection(wordAt(args, 1), SortedSet);
      const { hits, search } = yield* find(set, readSearch(set, args, 2));
      const isDistance = search.options.shown.has('STOREDIST');
      const scored = hits.map(({ member, score, distanceM: metres }) => ({
        member,
        score: isDistance ? metres / search.unitM : score,
      }));
      assertElements(scored.length, MAX_SORTED_ELEMENTS);
      return yield* storeScored(db, wordAt(args, 0), scored);
    },
  ),
});

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

/** The centre of an area: a member, or coordinates. */
function center(home: Home): CommandPart {
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
function searchArea(home: Home, stores = false): CommandPart {
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

function aroundPoint(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const set = db.collection(wordAt(args, 0), SortedSet);
  const center = pointAt(args, 1);
  const radius = radiusAt(args, 3, 'radius');
  return show(find(set, circle(center, radius, unitAt(args, 4), readOptions(args, 5))));
}

function aroundMember(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const set = db.collection(wordAt(args, 0), SortedSet);
  const center = set === undefined ? undefined : memberPoint(set, wordAt(args, 1));
  const radius = radiusAt(args, 2, 'radius');
  return show(find(set, circle(center, radius, unitAt(args, 3), readOptions(args, 4))));
}

function radiusAt(args: readonly string[], at: number, name: string): number {
  const radius = floatAt(args, at, `ERR need numeric ${name}`);
  if (radius < 0)
    throw failure(name === 'radius' ? 'ERR radius cannot be negative' : 'ERR height or width cannot be negative');
  return radius;
}

function memberPoint(set: SortedSet, member: string): Point {
  const score = set.scoreOf(member);
  if (score === undefined) throw failure('ERR could not decode requested zset member');
  return pointOfScore(score);
}

function circle(center: Point | undefined, radius: number, unitM: number, options: SearchOptions): Search {
  const radiusM = radius * unitM;
  const area = center === undefined ? undefined : { center, halfWidthM: radiusM, halfHeightM: radiusM, isCircle: true };
  return { area, unitM, options };
}

/** `FROMMEMBER m | FROMLONLAT x y`, `BYRADIUS r unit | BYBOX w h unit`, options. */
function readSearch(set: SortedSet | undefined, args: readonly string[], from: number): Search {
  const isMember = wordAt(args, from).toUpperCase() === 'FROMMEMBER';
  const center = isMember
    ? set === undefined
      ? undefined
      : memberPoint(set, wordAt(args, from + 1))
    : pointAt(args, from + 1);
  const at = from + (isMember ? 2 : 3);
  if (wordAt(args, at).toUpperCase() === 'BYRADIUS') {
    const radius = radiusAt(args, at + 1, 'radius');
    return circle(center, radius, unitAt(args, at + 2), readOptions(args, at + 3));
  }
  const [width, height] = [radiusAt(args, at + 1, 'width'), radiusAt(args, at + 2, 'height')];
  const unitM = unitAt(args, at + 3);
  const options = readOptions(args, at + 4);
  if (center === undefined) return { area: undefined, unitM, options };
  const [halfWidthM, halfHeightM] = [(width * unitM) / 2, (height * unitM) / 2];
  return { area: { center, halfWidthM, halfHeightM, isCircle: false }, unitM, options };
}

function readOptions(args: readonly string[], from: number): SearchOptions {
  const shown = new Set<string>();
  let [sort, count, isAny]: [SearchOptions['sort'], number, boolean] = [undefined, 0, false];
  for (let at = from; at < args.length; at++) {
    const option = wordAt(args, at).toUpperCase();
    if (['WITHDIST', 'WITHHASH', 'WITHCOORD', 'STOREDIST'].includes(option)) shown.add(option);
    else if (option === 'ANY') isAny = true;
    else if (option === 'ASC' || option === 'DESC') sort = option;
    else if (option === 'COUNT') {
      count = integerAt(args, ++at);
      if (count <= 0) throw failure('ERR COUNT must be > 0');
    } else throw failure(SYNTAX_ERROR);
  }
  if (isAny && count === 0) throw failure('ERR the ANY argument requires COUNT argument');
  // A count means the nearest ones, unless `ANY` is given.
  if (count > 0 && !isAny) sort ??= 'ASC';
  return { shown, sort, count, isAny };
}

function* find(set: SortedSet | undefined, search: Search): Steps<Found> {
  const { area, options } = search;
  if (set === undefined || area === undefined) return { hits: [], search };
  const wanted = options.isAny ? options.count : Infinity;
  let hits: Hit[] = [];
  let visited = 0;
  for (const cell of searchCells(area)) {
    const width = 4 ** (MAX_STEP - cell.step);
    const first = cellNumber(cell) * width;
    const range = {
      isBelow: (score: number) => score < first,
      isNotAbove: (score: number) => score < first + width,
    };
    const [from, to] = rankRange(set, range);
    for (const { member, score } of set.ranks(from, to)) {
      if (hits.length >= wanted) break;
      visited++;
      assertElements(visited, MAX_SORTED_ELEMENTS);
      if (visited % PLACES_PER_STEP === 0) yield;
      const point = pointOfScore(score);
      const metres = distanceWithin(area, point);
      if (metres !== undefined) hits.push({ member, score, point, distanceM: metres });
    }
    if (hits.length >= wanted) break;
  }
  if (options.sort === 'ASC') hits = yield* sortInSteps(hits, (left, right) => left.distanceM - right.distanceM);
  if (options.sort === 'DESC') hits = yield* sortInSteps(hits, (left, right) => right.distanceM - left.distanceM);
  return { hits: options.count > 0 ? hits.slice(0, options.count) : hits, search };
}

/** The distance from the centre; undefined outside the area. */
function distanceWithin(area: SearchArea, point: Point): number | undefined {
  const { center } = area;
  const metres = distanceM(center, point);
  if (area.isCircle) return metres <= area.halfWidthM ? metres : undefined;
  if (latitudeDistanceM(center.latitude, point.latitude) > area.halfHeightM) return undefined;
  const across = distanceM(point, { longitude: center.longitude, latitude: point.latitude });
  return across <= area.halfWidthM ? metres : undefined;
}

function* show(finding: Steps<Found>): Steps<Reply> {
  const { hits, search } = yield* finding;
  const { shown } = search.options;
  if (shown.size === 0) return yield* mapInSteps(hits, ({ member }) => member);
  return yield* mapInSteps(hits, ({ member, score, point, distanceM: metres }) => [
    member,
    ...(shown.has('WITHDIST') ? [formatDistance(metres / search.unitM)] : []),
    ...(shown.has('WITHHASH') ? [score] : []),
    ...(shown.has('WITHCOORD') ? [formatPoint(point)] : []),
  ]);
}
