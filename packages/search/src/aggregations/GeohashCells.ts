import { encodeGeohash } from '@millrace/language';

/*
 * Numbers the cells of a geohash grid. The bisections of longitude and latitude that make a geohash are the first
 * binary digits of both, so two divisions find a point's cell. The digits of both, interleaved with longitude first,
 * form a number that sorts as the geohashes do. Cell bounds are exact in binary, and each division is checked against
 * them, so rounding moves no point into another cell.
 *
 * In a small grid, cells are their own ordinals; in a large one they are numbered in order of appearance. If one number
 * can't hold the digits of both, the geohash itself identifies the cell.
 */

/** Up to this number of bits the number of a cell is exact. */
const MAX_EXACT_BITS = 50;

/** Grids of up to this many cells are counted in an array, whatever the number of documents. */
const MIN_DENSE_CELLS = 1 << 16;

/** The cells of one precision. */
export class GeohashCells {
  private readonly bits: number;
  private readonly columns: number;
  private readonly rows: number;
  private readonly isDense: boolean;
  private readonly ordinals = new Map<number | string, number>();
  private readonly cells: (number | string)[] = [];

  /** @param pointCount approximate number of points */
  constructor(
    private readonly precision: number,
    pointCount: number,
  ) {
    this.bits = precision * 5;
    this.columns = 2 ** Math.ceil(this.bits / 2);
    this.rows = 2 ** Math.floor(this.bits / 2);
    this.isDense = 2 ** this.bits <= Math.max(MIN_DENSE_CELLS, pointCount);
  }

  /** Upper bound of the ordinals, exclusive. */
  get size(): number {
    return this.isDense ? 2 ** this.bits : this.cells.length;
  }

  ordinalOf(lat: number, lon: number): number {
    if (this.isDense) return this.numberOf(lat, lon);
    const cell = this.bits <= MAX_EXACT_BITS ? this.numberOf(lat, lon) : encodeGeohash({ lat, lon }, this.precision);
    let ordinal = this.ordinals.get(cell);
    if (ordinal === undefined) {
      ordinal = this.cells.push(cell) - 1;
      this.ordinals.set(cell, ordinal);
    }
    return ordinal;
  }

  /** The geohash of a cell. */
  keyOf(ordinal: number): string {
    const cell = this.isDense ? ordinal : (this.cells[ordinal] as number | string);
    if (typeof cell === 'string') return cell;
    let key = '';
    for (let rest = cell, i = 0; i < this.precision; i += 1) {
      key = ALPHABET.charAt(rest % 32) + key;
      rest = Math.floor(rest / 32);
    }
    return key;
  }

  /** Negative if the first cell's geohash sorts before the other's. */
  compare(a: number, b: number): number {
    if (this.isDense) return a - b;
    const [x, y] = [this.cells[a] as number | string, this.cells[b] as number | string];
    return x < y ? -1 : x > y ? 1 : 0;
  }

  private numberOf(lat: number, lon: number): number {
    const column = part(lon, 180, this.columns);
    const row = part(lat, 90, this.rows);
    // The last digit belongs to longitude if it has one more.
    return this.columns === this.rows ? 2 * spread(column) + spread(row) : spread(column) + 2 * spread(row);
  }
}

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';

/**
 * Index of the part of [-half, half], divided into `count` equal parts, that contains a value; a bound belongs to the
 * upper part.
 */
function part(value: number, half: number, count: number): number {
  const width = (2 * half) / count;
  const found = Math.min(count - 1, Math.max(0, Math.floor((value + half) / width)));
  const border = found * width - half;
  if (value < border) return Math.max(0, found - 1);
  return value >= border + width && found + 1 < count ? found + 1 : found;
}

/** By byte: its digits, each preceded by a zero. */
const SPREAD_BYTES = Uint16Array.from({ length: 256 }, (_, byte) => {
  let spreadByte = 0;
  for (let digit = 0; digit < 8; digit += 1) {
    if ((byte & (1 << digit)) !== 0) spreadByte |= 1 << (2 * digit);
  }
  return spreadByte;
});

/** The binary digits of a number of up to 25 digits, each preceded by a zero. */
function spread(number: number): number {
  let sum = 0;
  for (let rest = number, weight = 1; rest !== 0; rest >>>= 8, weight *= 2 ** 16) {
    sum += (SPREAD_BYTES[rest & 255] as number) * weight;
  }
  return sum;
}
