import { failure, SYNTAX_ERROR } from '../failure.js';
import { distanceM, latitudeDistanceM } from '../geo/distance.js';
import { cellNumber, MAX_STEP, pointOfScore, type Point } from '../geo/GeoCell.js';
import { searchCells, type SearchArea } from '../geo/searchCells.js';
import { mapInSteps, type Steps } from '../../steps/Steps.js';
import { sortInSteps } from '../../steps/sortInSteps.js';
import type { Reply } from '../Reply.js';
import { SortedSet } from '../values/SortedSet.js';
import { floatAt, integerAt, wordAt } from '../words.js';
import { assertElements, MAX_SORTED_ELEMENTS } from './assertElements.js';
import { formatDistance, formatPoint, pointAt, unitAt } from './geoHandlers.js';
import type { Handlers } from './Handlers.js';
import { rankRange, storeScored } from './sortedSetRanges.js';

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

/** Read-only geospatial searches. */
export const geoSearchReaders: Handlers = {
  GEORADIUS_RO(db, args) {
    const set = db.collection(wordAt(args, 0), SortedSet);
    const center = pointAt(args, 1);
    const radius = radiusAt(args, 3, 'radius');
    return show(find(set, circle(center, radius, unitAt(args, 4), readOptions(args, 5))));
  },
  GEORADIUSBYMEMBER_RO(db, args) {
    const set = db.collection(wordAt(args, 0), SortedSet);
    const center = set === undefined ? undefined : memberPoint(set, wordAt(args, 1));
    const radius = radiusAt(args, 2, 'radius');
    return show(find(set, circle(center, radius, unitAt(args, 3), readOptions(args, 4))));
  },
  GEOSEARCH(db, args) {
    const set = db.collection(wordAt(args, 0), SortedSet);
    return show(find(set, readSearch(set, args, 1)));
  },
};

/** GEOSEARCHSTORE. */
export const geoSearchWriters: Handlers = {
  *GEOSEARCHSTORE(db, args) {
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
};

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
