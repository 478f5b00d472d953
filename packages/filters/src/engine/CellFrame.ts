/*
 * A flat map of one grid cell: east and north of its middle, in 4,096ths of its height. Two small integers and a radius
 * decide about an area that is close enough; a crowded cell stores them contiguously.
 *
 * Two points of the globe with the flat coordinates (e, n) are √(Δe² + Δn² + Δu²) apart in a straight line, where each
 * height u is at most D²/2 below the middle's for places within D of it. So flat distances are never too long, and
 * their squares are too short by at most D⁴/4. Where that error and the rounding stay below two units (`SLACK`), flat
 * distances decide everything but the rim.
 */
import { EARTH_RADIUS_METRES, RADIANS } from '@millrace/language';
import type { Area } from './CompiledTest.js';
import { middleOf } from './GridCells.js';

const UNITS_PER_CELL = 4_096;
/** The map isn't used further than this from the middle, in radii of the globe. */
const MAX_DISTANCE = 0.05;
/** The largest coordinate and radius, in units: fits in two bytes. */
const MAX_UNITS = 32_767;

/** Within this many units of the radius the map doesn't decide. */
export const SLACK = 2;

export class CellFrame {
  private unit = 1;
  private sinLat = 0;
  private cosLat = 1;
  private sinLon = 0;
  private cosLon = 1;
  /** Coordinates of the last place looked up, in units. */
  east = 0;
  north = 0;
  private height = 0;

  /** Moves the frame to a cell. */
  moveTo(number: number, level: number): void {
    const { lat, lon } = middleOf(number, level);
    this.unit = ((360 / 2 ** level) * RADIANS) / UNITS_PER_CELL;
    this.sinLat = Math.sin(lat * RADIANS);
    this.cosLat = Math.cos(lat * RADIANS);
    this.sinLon = Math.sin(lon * RADIANS);
    this.cosLon = Math.cos(lon * RADIANS);
  }

  /**
   * Computes the map coordinates `east` and `north` of a place.
   * @param x of the point on the globe of radius 1; y and z likewise
   */
  locate(x: number, y: number, z: number): void {
    const along = x * this.cosLon + y * this.sinLon;
    this.east = (y * this.cosLon - x * this.sinLon) / this.unit;
    this.north = (z * this.cosLat - along * this.sinLat) / this.unit;
    this.height = along * this.cosLat + z * this.sinLat;
  }

  /**
   * Computes the coordinates of the middle of a disc.
   * @returns its radius in units; 0 if the map can't decide about the area
   */
  locateArea(area: Area): number {
    if (area.kind !== 'geoDistance' || (area.fromMetres ?? 0) > 0) return 0;
    const { lat, lon } = area.centre;
    const width = Math.cos(lat * RADIANS);
    const x = width * Math.cos(lon * RADIANS);
    const y = width * Math.sin(lon * RADIANS);
    this.locate(x, y, Math.sin(lat * RADIANS));
    const { east, north } = this;
    const away = Math.max(0.71 * UNITS_PER_CELL, Math.sqrt(east * east + north * north));
    if (this.height <= 0 || away * this.unit > MAX_DISTANCE || away > MAX_UNITS) return 0;
    const chord = 2 * Math.sin(area.toMetres / EARTH_RADIUS_METRES / 2);
    const radius = Math.round(chord / this.unit);
    const bulge = (away * this.unit) ** 4 / 4 / chord / this.unit;
    return radius <= SLACK || radius > MAX_UNITS || bulge > 0.5 ? 0 : radius;
  }

  /** The last place looked up, packed into one integer for `eastOf` and `northOf`. */
  get place(): number {
    return (Math.round(this.east) << 16) | (Math.round(this.north) & 0xffff);
  }
}

export function eastOf(place: number): number {
  return place >> 16;
}

export function northOf(place: number): number {
  return (place << 16) >> 16;
}
