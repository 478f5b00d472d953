import type { Point, PolygonRings, Shape } from '@millrace/query';
import { arcDistance } from '../distance.js';
import { circlePolygon } from './circlePolygon.js';

/** A straight piece of a line or border, in degrees: x is the longitude. */
export interface Segment {
  readonly ax: number;
  readonly ay: number;
  readonly bx: number;
  readonly by: number;
}

/** An area: the pieces of its border and of its holes' borders. */
export interface Area {
  readonly edges: readonly Segment[];
  /** Bounds. */
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}

/*
 * A shape as parts of three kinds (points, segments, areas) on the plane of longitude and latitude, as Elasticsearch
 * sees it: lines between two corners are straight in degrees. What crosses the date line is unrolled and stands there
 * twice, shifted by a whole turn, so that nothing else has to know of it.
 */
export class Geometry {
  readonly points: { readonly x: number; readonly y: number }[] = [];
  readonly segments: Segment[] = [];
  readonly areas: Area[] = [];
  west = Infinity;
  east = -Infinity;
  south = Infinity;
  north = -Infinity;

  /** @param place moves the corners before anything is made of them */
  constructor(
    shapes: readonly Shape[],
    private readonly place: (point: Point) => Point = (point) => point,
  ) {
    for (const shape of shapes) this.add(shape);
  }

  /** Whether a point lies in or on it. */
  covers(x: number, y: number): boolean {
    if (x < this.west || x > this.east || y < this.south || y > this.north) return false;
    return (
      this.points.some((point) => point.x === x && point.y === y) ||
      this.areas.some((area) => areaCovers(area, x, y)) ||
      this.segments.some((segment) => isOn(segment, x, y))
    );
  }

  /** Every segment and every piece of a border. */
  *edges(): Generator<Segment> {
    yield* this.segments;
    for (const area of this.areas) yield* area.edges;
  }

  private add(shape: Shape): void {
    switch (shape.kind) {
      case 'point':
        return this.addPoint(shape.point);
      case 'multi_point':
        return shape.points.forEach((point) => {
          this.addPoint(point);
        });
      case 'line':
        return this.addLine(shape.points);
      case 'multi_line':
        return shape.lines.forEach((line) => {
          this.addLine(line);
        });
      case 'polygon':
        return this.addPolygon(shape.rings);
      case 'multi_polygon':
        return shape.polygons.forEach((rings) => {
          this.addPolygon(rings);
        });
      case 'envelope':
        return this.addEnvelope(shape);
      case 'circle':
        return this.addPolygon([circlePolygon(shape.center, shape.radiusMetres)]);
      case 'collection':
        return shape.shapes.forEach((inner) => {
          this.add(inner);
        });
    }
  }

  private addPoint(point: Point): void {
    const { lat, lon } = this.place(point);
    this.points.push({ x: lon, y: lat });
    this.extend(lon, lat);
  }

  private addLine(points: readonly Point[]): void {
    for (const path of unrolled([points.map(this.place)])) {
      const [line = []] = path;
      const segments = segmentsOf(line);
      this.segments.push(...segments);
      for (const { x, y } of line) this.extend(x, y);
    }
  }

  private addPolygon(rings: PolygonRings): void {
    for (const turned of unrolled(rings.map((ring) => ring.map(this.place)))) this.addArea(turned);
  }

  private addEnvelope(box: Extract<Shape, { kind: 'envelope' }>): void {
    const { lat: north, lon: east } = this.place({ lat: box.north, lon: box.east });
    const { lat: south, lon: west } = this.place({ lat: box.south, lon: box.west });
    const halves =
      west <= east ? [[west, east] as const] : [[west, 180] as const, [-180, east] as const];
    for (const [left, right] of halves) {
      this.addArea([
        [
          { x: left, y: south },
          { x: right, y: south },
          { x: right, y: north },
          { x: left, y: north },
          { x: left, y: south },
        ],
      ]);
    }
  }

  private addArea(rings: readonly (readonly Place[])[]): void {
    const bounds = { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity };
    for (const { x, y } of rings[0] ?? []) {
      bounds.west = Math.min(bounds.west, x);
      bounds.east = Math.max(bounds.east, x);
      bounds.south = Math.min(bounds.south, y);
      bounds.north = Math.max(bounds.north, y);
      this.extend(x, y);
    }
    this.areas.push({ edges: rings.flatMap(segmentsOf), ...bounds });
  }

  private extend(x: number, y: number): void {
    this.west = Math.min(this.west, x);
    this.east = Math.max(this.east, x);
    this.south = Math.min(this.south, y);
    this.north = Math.max(this.north, y);
  }
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function segmentsOf(places: readonly Place[]): Segment[] {
  const segments: Segment[] = [];
  for (let i = 1; i < places.length; i += 1) {
    const [a, b] = [places[i - 1] as Place, places[i] as Place];
    segments.push({ ax: a.x, ay: a.y, bx: b.x, by: b.y });
  }
  return segments;
}

/** The lines without jumps from one side of the date line to the other; twice, where there was one. */
function unrolled(lines: readonly (readonly Point[])[]): Place[][][] {
  let shift = 0;
  let isCrossing = false;
  const places = lines.map((line, i) => {
    shift = 0;
    return line.map(({ lat, lon }, at) => {
      const before = line[at - 1];
      if (before !== undefined && Math.abs(lon - before.lon) > 180) {
        shift += lon > before.lon ? -360 : 360;
        isCrossing = true;
      }
      // A hole stands where its border is.
      if (i > 0 && at === 0 && isCrossing && lon < 0) shift = 360;
      return { x: lon + shift, y: lat };
    });
  });
  if (!isCrossing) return [places];
  const other = places[0]?.some(({ x }) => x > 180) === true ? -360 : 360;
  return [places, places.map((line) => line.map(({ x, y }) => ({ x: x + other, y })))];
}

/** Whether a point lies in the area, its border included: a ray to the east crosses the borders an odd number of times. */
export function areaCovers(area: Area, x: number, y: number): boolean {
  if (x < area.west || x > area.east || y < area.south || y > area.north) return false;
  let isInside = false;
  for (const edge of area.edges) {
    if (isOn(edge, x, y)) return true;
    const { ax, ay, bx, by } = edge;
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isInside = !isInside;
  }
  return isInside;
}

/** About a tenth of a millimetre, in degrees. */
const ON_LINE = 1e-9;

/** Whether a point lies on a segment. */
export function isOn({ ax, ay, bx, by }: Segment, x: number, y: number): boolean {
  const [dx, dy] = [bx - ax, by - ay];
  const length = Math.hypot(dx, dy);
  if (length === 0) return Math.abs(x - ax) <= ON_LINE && Math.abs(y - ay) <= ON_LINE;
  const along = ((x - ax) * dx + (y - ay) * dy) / length;
  if (along < -ON_LINE || along > length + ON_LINE) return false;
  return Math.abs((x - ax) * dy - (y - ay) * dx) / length <= ON_LINE;
}

/** Whether a point lies within a circle on the sphere. */
export function isInCircle(center: Point, radiusMetres: number, lat: number, lon: number): boolean {
  return arcDistance(center.lat, center.lon, lat, lon) <= radiusMetres;
}
