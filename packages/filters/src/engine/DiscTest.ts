/*
 * Decides which cells a disc touches and covers, by the cosine of the distance from its centre, sin φ sin φ₀ + cos φ
 * cos φ₀ cos Δλ: it falls with Δλ, and along a meridian it is a wave. So within 90° of the centre the furthest point of
 * a cell is a corner, and the nearest is on its nearest meridian: at the peak of the wave, or at the end nearest to it.
 */
import { EARTH_RADIUS_METRES, RADIANS } from '@millrace/language';
import type { Area } from './CompiledTest.js';
import { COVERED, OUTSIDE, TOUCHED, type CellTest } from './GridCells.js';

/** Margin by which a disc is treated as smaller, and as larger: more than the rounding error (1.3 m on the globe). */
const MARGIN_RADIANS = 2e-7;

/** A column of cells relative to the centre. */
interface Column {
  /** cos φ₀ cos Δλ of its nearest and furthest meridian; undefined beyond 90°. */
  readonly near: number | undefined;
  readonly far: number | undefined;
  /** Latitude of the nearest point on the nearest meridian, in radians, and the cosine of its distance. */
  readonly peak: number;
  readonly best: number;
}

export class DiscTest implements CellTest {
  private readonly sine: number;
  private readonly cosine: number;
  private readonly lon: number;
  /** Cosines of distances that are surely inside, and surely outside. */
  private readonly inside: number;
  private readonly outside: number;
  private columns: readonly Column[] = [];
  private firstColumn = 0;
  private step = 1;
  // Of the row: its edges in radians, their sines and cosines.
  private low = 0;
  private high = 0;
  private sinLow = 0;
  private sinHigh = 0;
  private cosLow = 0;
  private cosHigh = 0;

  constructor({ centre, toMetres, fromMetres }: Area & { readonly kind: 'geoDistance' }) {
    this.sine = Math.sin(centre.lat * RADIANS);
    this.cosine = Math.cos(centre.lat * RADIANS);
    this.lon = centre.lon;
    const radius = toMetres / EARTH_RADIUS_METRES;
    const isRing = fromMetres !== undefined && fromMetres > 0;
    this.inside = isRing || radius <= MARGIN_RADIANS ? 2 : Math.cos(radius - MARGIN_RADIANS);
    this.outside = Math.cos(radius + MARGIN_RADIANS) - 1e-15;
  }

  begin(firstColumn: number, lastColumn: number, step: number): void {
    this.step = step;
    this.firstColumn = firstColumn;
    const columns: Column[] = [];
    for (let column = firstColumn; column <= lastColumn; column++) {
      columns.push(this.see(column * step - 180, (column + 1) * step - 180));
    }
    this.columns = columns;
  }

  enterRow(row: number): void {
    const low = (row * this.step - 90) * RADIANS;
    this.low = low;
    this.high = Math.min(90, (row + 1) * this.step - 90) * RADIANS;
    this.sinLow = Math.sin(low);
    this.cosLow = Math.cos(low);
    this.sinHigh = Math.sin(this.high);
    this.cosHigh = Math.cos(this.high);
  }

  decide(column: number): number {
    const { near, far, peak, best } = this.columns[column - this.firstColumn] as Column;
    if (near === undefined) return TOUCHED;
    const { sine, sinLow, cosLow, sinHigh, cosHigh } = this;
    let nearest = best;
    if (peak < this.low) nearest = sine * sinLow + near * cosLow;
    else if (peak > this.high) nearest = sine * sinHigh + near * cosHigh;
    if (nearest < this.outside) return OUTSIDE;
    if (far === undefined) return TOUCHED;
    const { inside } = this;
    const isCovered = sine * sinLow + far * cosLow >= inside && sine * sinHigh + far * cosHigh >= inside;
    return isCovered ? COVERED : TOUCHED;
  }

  private see(left: number, right: number): Column {
    const toLeft = this.fromCentre(left);
    const toRight = this.fromCentre(right);
    const isAround = toLeft <= 0 && toRight >= 0;
    const nearest = isAround ? 0 : Math.min(Math.abs(toLeft), Math.abs(toRight));
    const furthest = Math.max(Math.abs(toLeft), Math.abs(toRight));
    const { sine, cosine } = this;
    const near = cosine * Math.cos(nearest * RADIANS);
    return {
      near: nearest > 90 ? undefined : near,
      far: furthest > 90 ? undefined : cosine * Math.cos(furthest * RADIANS),
      peak: Math.atan2(sine, near),
      best: Math.sqrt(sine * sine + near * near),
    };
  }

  /** Degrees of longitude to the east, −180 to 180. */
  private fromCentre(lon: number): number {
    const away = lon - this.lon;
    if (away > 180) return away - 360;
    return away < -180 ? away + 360 : away;
  }
}
