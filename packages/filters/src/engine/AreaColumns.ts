/*
 * Numbers that decide most candidate areas. On a globe of radius 1, two points separated by the angle a are 2 sin(a/2)
 * apart in a straight line; its square takes three subtractions, three products and two sums, compared with the six
 * functions of a haversine. Centres are stored in single precision, which moves them by at most 0.4 m. Between two
 * limits one metre around the true one, and for boxes, rings and polygons, the exact test decides, so the engine never
 * differs from the reference evaluator.
 */
import { EARTH_RADIUS_METRES, RADIANS } from '@millrace/language';
import type { Area } from './CompiledTest.js';
import { isInArea } from '../isInArea.js';
import type { MatchSink } from './MatchSink.js';

/** x, y, z of the centre; the squared distance below which a point is inside, and the one above which it is outside. */
const STRIDE = 5;
const FIRST_CAPACITY = 8;
/** The tag of a removed entry. */
const GONE = 0x7fff_ffff;
/** Upper bound of the rounding error of a centre in single precision, in radii of the globe. */
const ROUNDING = 1.5e-7;

export class AreaColumns {
  private numbers = new Float32Array(STRIDE * FIRST_CAPACITY);
  private tags = new Int32Array(FIRST_CAPACITY);
  private readonly areas: (Area | undefined)[] = [];
  private readonly released: number[] = [];
  private lat = 0;
  private lon = 0;
  // The point under test, on a globe of radius 1.
  x = 0;
  y = 0;
  z = 0;

  get byteCount(): number {
    return this.tags.length * (STRIDE * 4 + 4) + this.areas.length * 8 + this.released.length * 8;
  }

  /** @returns the number of the entry */
  add(area: Area, tag: number): number {
    const entry = this.released.pop() ?? this.areas.length;
    if (entry === this.tags.length) this.grow();
    this.areas[entry] = area;
    this.tags[entry] = tag;
    this.numbers.set(decidingNumbers(area), STRIDE * entry);
    return entry;
  }

  /** The entry is no longer reported. */
  retire(entry: number): void {
    this.areas[entry] = undefined;
    this.tags[entry] = GONE;
  }

  /** Reuses the number of a retired entry for another area. */
  free(entry: number): void {
    this.released.push(entry);
  }

  isGone(entry: number): boolean {
    return this.tags[entry] === GONE;
  }

  /** Undefined if the entry is removed. */
  areaOf(entry: number): Area | undefined {
    return this.areas[entry];
  }

  /** Sets the point to test. */
  moveTo(lat: number, lon: number): void {
    this.lat = lat;
    this.lon = lon;
    const width = Math.cos(lat * RADIANS);
    this.x = width * Math.cos(lon * RADIANS);
    this.y = width * Math.sin(lon * RADIANS);
    this.z = Math.sin(lat * RADIANS);
  }

  /**
   * Reports an entry if its area contains the point. A complemented `entry` needs no test: its area surely contains it.
   */
  collect(entry: number, sink: MatchSink): void {
    if (entry < 0) this.notify(~entry, sink);
    else if (this.isInside(entry)) this.notify(entry, sink);
  }

  /** Does nothing if the entry is removed. */
  notify(entry: number, sink: MatchSink): void {
    const tag = this.tags[entry] as number;
    if (tag !== GONE) sink.add(tag);
  }

  isInside(entry: number): boolean {
    const { numbers } = this;
    const at = STRIDE * entry;
    const dx = (numbers[at] as number) - this.x;
    const dy = (numbers[at + 1] as number) - this.y;
    const dz = (numbers[at + 2] as number) - this.z;
    const square = dx * dx + dy * dy + dz * dz;
    if (square > (numbers[at + 4] as number)) return false;
    if (square < (numbers[at + 3] as number)) return true;
    const area = this.areas[entry];
    return area !== undefined && isInArea(area, { lat: this.lat, lon: this.lon });
  }

  private grow(): void {
    const capacity = this.tags.length + Math.max(FIRST_CAPACITY, this.tags.length >> 1);
    const numbers = new Float32Array(STRIDE * capacity);
    numbers.set(this.numbers);
    const tags = new Int32Array(capacity);
    tags.set(this.tags);
    [this.numbers, this.tags] = [numbers, tags];
  }
}

function decidingNumbers(area: Area): readonly number[] {
  if (area.kind !== 'geoDistance') return [0, 0, 0, -1, Infinity];
  const { centre, toMetres, fromMetres } = area;
  const width = Math.cos(centre.lat * RADIANS);
  const x = width * Math.cos(centre.lon * RADIANS);
  const y = width * Math.sin(centre.lon * RADIANS);
  const z = Math.sin(centre.lat * RADIANS);
  const half = toMetres / EARTH_RADIUS_METRES / 2;
  // Beyond half the circumference every point is inside; near it the sine is flat, so the exact test decides.
  if (half >= 1.5) return [x, y, z, -1, Infinity];
  const chord = 2 * Math.sin(half);
  const isDisc = fromMetres === undefined || fromMetres === 0;
  const inner = isDisc && chord > ROUNDING ? (chord - ROUNDING) ** 2 * (1 - 1e-6) : -1;
  return [x, y, z, inner, (chord + ROUNDING) ** 2 * (1 + 1e-6)];
}
