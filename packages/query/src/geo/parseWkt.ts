/*
 * Well-known text, parsed in one pass over its tokens (words, numbers, brackets, commas). The grammar bounds the depth
 * of nesting, except for collections, which have a limit.
 */
import type { Point } from '@millrace/language';
import { isInRange, isRing, toEnvelope, type PolygonRings, type Shape } from './parseShape.js';

const MAX_TEXT_LENGTH = 1_000_000;
const MAX_COLLECTION_DEPTH = 10;
const TOKEN = /\s*([A-Za-z]+|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[(),])/y;

class Fault extends Error {}

/** Parses `POINT (…)`, `POLYGON ((…))`, `BBOX (west, east, north, south)`, …; undefined if it is invalid. */
export function parseWkt(text: string): Shape | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  try {
    const reader = new WktReader(text);
    const shape = reader.readShape(0);
    return reader.isAtEnd() ? shape : undefined;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

class WktReader {
  private token: string | undefined;
  private position = 0;

  constructor(private readonly text: string) {
    this.next();
  }

  isAtEnd(): boolean {
    return this.token === undefined && this.text.slice(this.position).trim() === '';
  }

  readShape(depth: number): Shape {
    const word = this.take()?.toUpperCase();
    switch (word) {
      case 'POINT':
        return { kind: 'point', point: this.only(() => this.readPoint()) };
      case 'MULTIPOINT':
        return { kind: 'multi_point', points: this.list(() => this.readMaybeBracketedPoint()) };
      case 'LINESTRING':
        return { kind: 'line', points: this.readLine() };
      case 'MULTILINESTRING':
        return { kind: 'multi_line', lines: this.list(() => this.readLine()) };
      case 'POLYGON':
        return { kind: 'polygon', rings: this.readRings() };
      case 'MULTIPOLYGON':
        return { kind: 'multi_polygon', polygons: this.list(() => this.readRings()) };
      case 'BBOX':
      case 'ENVELOPE':
        return this.readBox();
      case 'GEOMETRYCOLLECTION':
        if (depth >= MAX_COLLECTION_DEPTH) throw new Fault();
        return { kind: 'collection', shapes: this.list(() => this.readShape(depth + 1)) };
      default:
        throw new Fault();
    }
  }

  private readBox(): Shape {
    const [west, east, north, south, extra] = this.list(() => this.readNumber());
    if (west === undefined || east === undefined || north === undefined || south === undefined) {
      throw new Fault();
    }
    if (extra !== undefined || !isInRange(north, west) || !isInRange(south, east)) throw new Fault();
    const box = toEnvelope({ lat: north, lon: west }, { lat: south, lon: east });
    if (box === undefined) throw new Fault();
    return box;
  }

  private readRings(): PolygonRings {
    return this.list(() => {
      const ring = this.list(() => this.readPoint());
      if (!isRing(ring)) throw new Fault();
      return ring;
    });
  }

  private readLine(): readonly Point[] {
    const points = this.list(() => this.readPoint());
    if (points.length < 2) throw new Fault();
    return points;
  }

  private readMaybeBracketedPoint(): Point {
    return this.token === '(' ? this.only(() => this.readPoint()) : this.readPoint();
  }

  private readPoint(): Point {
    const [lon, lat] = [this.readNumber(), this.readNumber()];
    if (this.token !== undefined && this.token !== ',' && this.token !== ')') this.readNumber();
    if (!isInRange(lat, lon)) throw new Fault();
    return { lat, lon };
  }

  private readNumber(): number {
    const token = this.take();
    const number = token === undefined || /^[A-Za-z(),]/.test(token) ? Number.NaN : Number(token);
    if (!Number.isFinite(number)) throw new Fault();
    return number;
  }

  private only<Item>(read: () => Item): Item {
    const [item, second] = this.list(read);
    if (item === undefined || second !== undefined) throw new Fault();
    return item;
  }

  private list<Item>(read: () => Item): readonly Item[] {
    const items: Item[] = [];
    if (this.take() !== '(') throw new Fault();
    for (;;) {
      items.push(read());
      const separator = this.take();
      if (separator === ')') return items;
      if (separator !== ',') throw new Fault();
    }
  }

  private take(): string | undefined {
    const token = this.token;
    this.next();
    return token;
  }

  private next(): void {
    TOKEN.lastIndex = this.position;
    const match = TOKEN.exec(this.text);
    this.token = match?.[1];
    if (match !== null) this.position = TOKEN.lastIndex;
  }
}
