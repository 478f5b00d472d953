import { encodeGeohash } from '@millrace/query';

/*
 * Numbers the cells of a geohash grid. The halvings of longitude and latitude that make a geohash are the first binary
 * digits of both, so a point's cell is found by two divisions; the digits of both by turns, longitude first, are one
 * number whose order is that of the geohashes. Borders of cells are exact in binary, so each division is checked against
 * them: rounding moves no point into another cell.
 *
 * Few cells are their own ordinals; many are numbered as they come. Where one number would not hold the digits of both,
 * the geohash itself names the cell.
 */

/** Up to here the number of a cell is exact. */
const MAX_EXACT_BITS = 50;

/** Grids of so many cells are counted in an array, whatever the number of documents. */
const MIN_DENSE_CELLS = 1 << 16;

/** The cells of one precision. */
export class GeohashCells {
  private readonly bits: number;
  private readonly columns: number;
  private readonly rows: number;
  private readonly isDense: boolean;
  private readonly ordinals = new Map<number | string, number>();
  private readonly cells: (number | string)[] = [];

  /** @param pointCount about how many points are looked at */
  constructor(
    private readonly precision: number,
    pointCount: number,
  ) {
    this.bits = precision * 5;
    this.columns = 2 ** Math.ceil(this.bits / 2);
    this.rows = 2 ** Math.floor(this.bits / 2);
    this.isDense = 2 ** this.bits <= Math.max(MIN_DENSE_CELLS, pointCount);
  }

  /** Ordinals are below. */
  get size(): number {
    return this.isDense ? 2 ** this.bits : this.cells.length;
  }

  ordinalOf(lat: number, lon: number): number {
    if (this.isDense) return this.numberOf(lat, lon);
    const cell =
      this.bits <= MAX_EXACT_BITS
        ? this.numberOf(lat, lon)
        : encodeGeohash({ lat, lon }, this.precision);
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

  /** Negative where the first cell's geohash comes before the other's. */
  compare(a: number, b: number): number {
    if (this.isDense) return a - b;
    const [x, y] = [this.cells[a] as number | string, this.cells[b] as number | string];
    return x < y ? -1 : x > y ? 1 : 0;
  }

  private numberOf(lat: number, lon: number): number {
    const column = part(lon, 180, this.columns);
    const row = part(lat, 90, this.rows);
    // The last digit belongs to longitude where there is one more of it.
    return this.columns === this.rows
      ? 2 * spread(column) + spread(row)
      : spread(column) + 2 * spread(row);
  }
}

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';

/** Which of `count` equal parts of [-half, half] a value is in; a border belongs to the part above. */
function part(value: number, half: number, count: number): number {
  const width = (2 * half) / count;
  const found = Math.min(count - 1, Math.max(0, Math.floor((value + half) / width)));
  const border = found * width - half;
  if (value < border) return Math.max(0, found - 1);
  return value >= border + width && found + 1 < count ? found + 1 : found;
}

/** By byte: its digits with a zero in front of each. */
const SPREAD_BYTES = Uint16Array.from({ length: 256 }, (_, byte) => {
  let spreadByte = 0;
  for (let digit = 0; digit < 8; digit += 1) {
    if ((byte & (1 << digit)) !== 0) spreadByte |= 1 << (2 * digit);
  }
  return spreadByte;
});

/** The binary digits of a number of up to 25 of them, with a zero in front of each. */
function spread(number: number): number {
  let sum = 0;
  for (let rest = number, weight = 1; rest !== 0; rest >>>= 8, weight *= 2 ** 16) {
    sum += (SPREAD_BYTES[rest & 255] as number) * weight;
  }
  return sum;
}
