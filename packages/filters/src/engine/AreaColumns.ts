/*
 * The numbers that decide most candidates of an area. Two points at the angle a on a globe of radius 1 are 2 sin(a/2)
 * apart in a straight line; its square is three subtractions, three products and two sums, against the six functions
 * of a haversine. Centres are kept in single precision, which moves them by 0.4 m at most: between two limits a metre
 * around the true one, and for boxes, rings and polygons, the exact test answers, so that the engine never differs
 * from the plain evaluator.
 */
import { EARTH_RADIUS_METRES } from '../geo/distanceInMetres.js';
import type { Area } from './CompiledTest.js';
import { isInArea } from '../isInArea.js';

/** x, y, z of the centre; the square below which a point is inside, and the one above which it is outside. */
const STRIDE = 5;
const FIRST_CAPACITY = 8;
/** How far a centre in single precision may be from the true one, and more, in radii of the globe. */
const ROUNDING = 1.5e-7;
const RADIANS = Math.PI / 180;

export class AreaColumns {
  private numbers = new Float32Array(STRIDE * FIRST_CAPACITY);
  private tags = new Int32Array(FIRST_CAPACITY);
  private levels = new Uint8Array(FIRST_CAPACITY);
  private readonly areas: (Area | undefined)[] = [];
  private readonly free: number[] = [];
  // The point under test.
  private lat = 0;
  private lon = 0;
  private x = 0;
  private y = 0;
  private z = 0;

  get byteCount(): number {
    return this.tags.length * (STRIDE * 4 + 5) + this.areas.length * 8 + this.free.length * 8;
  }

  /** @returns the number of the entry */
  add(area: Area, tag: number, level: number): number {
    const entry = this.free.pop() ?? this.areas.length;
    if (entry === this.tags.length) this.grow();
    this.areas[entry] = area;
    this.tags[entry] = tag;
    this.levels[entry] = level;
    this.numbers.set(decidingNumbers(area), STRIDE * entry);
    return entry;
  }

  remove(entry: number): void {
    this.areas[entry] = undefined;
    this.free.push(entry);
  }

  tagOf(entry: number): number {
    return this.tags[entry] as number;
  }

  levelOf(entry: number): number {
    return this.levels[entry] as number;
  }

  /** Sets the point that `isInside` asks about. */
  moveTo(lat: number, lon: number): void {
    this.lat = lat;
    this.lon = lon;
    const width = Math.cos(lat * RADIANS);
    this.x = width * Math.cos(lon * RADIANS);
    this.y = width * Math.sin(lon * RADIANS);
    this.z = Math.sin(lat * RADIANS);
  }

  isInside(entry: number): boolean {
    const { numbers } = this;
    const at = STRIDE * entry;
    const dx = (numbers[at] as number) - this.x;
    const dy = (numbers[at + 1] as number) - this.y;
    const dz = (numbers[at + 2] as number) - this.z;
    const square = dx * dx + dy * dy + dz * dz;
    if (square < (numbers[at + 3] as number)) return true;
    if (square > (numbers[at + 4] as number)) return false;
    const area = this.areas[entry];
    return area !== undefined && isInArea(area, { lat: this.lat, lon: this.lon });
  }

  private grow(): void {
    const capacity = this.tags.length + Math.max(FIRST_CAPACITY, this.tags.length >> 1);
    const numbers = new Float32Array(STRIDE * capacity);
    numbers.set(this.numbers);
    const tags = new Int32Array(capacity);
    tags.set(this.tags);
    const levels = new Uint8Array(capacity);
    levels.set(this.levels);
    [this.numbers, this.tags, this.levels] = [numbers, tags, levels];
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
  // Beyond half the circumference every point is inside; near it the sine is flat, and the exact test answers.
  if (half >= 1.5) return [x, y, z, -1, Infinity];
  const chord = 2 * Math.sin(half);
  const isDisc = fromMetres === undefined || fromMetres === 0;
  const inner = isDisc && chord > ROUNDING ? (chord - ROUNDING) ** 2 * (1 - 1e-6) : -1;
  return [x, y, z, inner, (chord + ROUNDING) ** 2 * (1 + 1e-6)];
}
