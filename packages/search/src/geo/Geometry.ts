import { arcDistance, EARTH_RADIUS_METRES, RADIANS, type Point } from '@millrace/language';
import type { PolygonRings, Shape } from '@millrace/query';
import { cutLine, cutRings, segmentsOf, unrolled } from './dateLine.js';

/** A straight segment of a line or border, in degrees: x is the longitude. */
export interface Segment {
  readonly ax: number;
  readonly ay: number;
  readonly bx: number;
  readonly by: number;
}

/** An area: the segments of its border and of its holes' borders. */
interface Area {
  readonly edges: readonly Segment[];
  /** Bounds. */
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}

/*
 * A shape as points, segments and areas on the plane of longitude and latitude: lines between two corners are straight
 * in degrees. A shape that crosses the date line is cut there, so no other code has to handle it.
 */
export class Geometry {
  readonly points: { readonly x: number; readonly y: number }[] = [];
  readonly segments: Segment[] = [];
  readonly areas: Area[] = [];
  west = Infinity;
  east = -Infinity;
  south = Infinity;
  north = -Infinity;

  constructor(shapes: readonly Shape[]) {
    for (const shape of shapes) this.add(shape);
  }

  /** Whether a point is inside or on it. */
  covers(x: number, y: number): boolean {
    if (x < this.west || x > this.east || y < this.south || y > this.north) return false;
    return (
      this.points.some((point) => point.x === x && point.y === y) ||
      this.areas.some((area) => areaCovers(area, x, y)) ||
      this.segments.some((segment) => isOn(segment, x, y))
    );
  }

  /** Every segment and every border segment. */
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

  private addPoint({ lat, lon }: Point): void {
    this.points.push({ x: lon, y: lat });
    this.extend(lon, lat);
  }

  private addLine(points: readonly Point[]): void {
    for (const line of cutLine(unrolled(points))) {
      this.segments.push(...segmentsOf(line));
      for (const { x, y } of line) this.extend(x, y);
    }
  }

  private addPolygon(rings: PolygonRings): void {
    this.addArea(cutRings(rings.map(unrolled)));
  }

  private addEnvelope({ north, east, south, west }: Extract<Shape, { kind: 'envelope' }>): void {
    const right = west <= east ? east : east + 360;
    const corners = [
      { x: west, y: south },
      { x: right, y: south },
      { x: right, y: north },
      { x: west, y: north },
      { x: west, y: south },
    ];
    this.addArea(cutRings([corners]));
  }

  private addArea(edges: readonly Segment[]): void {
    const bounds = { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity };
    for (const { ax, ay, bx, by } of edges) {
      bounds.west = Math.min(bounds.west, ax, bx);
      bounds.east = Math.max(bounds.east, ax, bx);
      bounds.south = Math.min(bounds.south, ay, by);
      bounds.north = Math.max(bounds.north, ay, by);
      this.extend(ax, ay);
      this.extend(bx, by);
    }
    this.areas.push({ edges, ...bounds });
  }

  private extend(x: number, y: number): void {
    this.west = Math.min(this.west, x);
    this.east = Math.max(this.east, x);
    this.south = Math.min(this.south, y);
    this.north = Math.max(this.north, y);
  }
}

/**
 * Whether a point is in the area, its border included: a ray to the east crosses the borders an odd number of times.
 */
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

/** Whether a point is on a segment. */
export function isOn({ ax, ay, bx, by }: Segment, x: number, y: number): boolean {
  const [dx, dy] = [bx - ax, by - ay];
  const length = Math.hypot(dx, dy);
  if (length === 0) return Math.abs(x - ax) <= ON_LINE && Math.abs(y - ay) <= ON_LINE;
  const along = ((x - ax) * dx + (y - ay) * dy) / length;
  if (along < -ON_LINE || along > length + ON_LINE) return false;
  return Math.abs((x - ax) * dy - (y - ay) * dx) / length <= ON_LINE;
}

/** Whether a point is within a circle on the sphere. */
export function isInCircle(center: Point, radiusMetres: number, lat: number, lon: number): boolean {
  return arcDistance(center.lat, center.lon, lat, lon) <= radiusMetres;
}

/** Maximum distance between a chord and the circle. */
const TOLERANCE_METRES = 0.005;
/** The nearest distance to a pole at which bearings are defined: a centimetre. */
const MAX_LATITUDE = 90 - 1e-7;
const MIN_CORNERS = 64;
const MAX_CORNERS = 8_192;

/** A circle on the sphere as a closed ring with so many corners that it differs from the circle by millimetres. */
function circlePolygon(center: Point, radiusMetres: number): Point[] {
  const wanted = Math.ceil(Math.PI * Math.sqrt(radiusMetres / (2 * TOLERANCE_METRES)));
  const corners = Math.min(MAX_CORNERS, Math.max(MIN_CORNERS, wanted));
  const angle = radiusMetres / EARTH_RADIUS_METRES;
  const latitude = Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, center.lat));
  const [lat, lon] = [latitude * RADIANS, center.lon * RADIANS];
  const ring: Point[] = [];
  for (let i = 0; i < corners; i += 1) {
    const bearing = (-2 * Math.PI * i) / corners;
    const sinLat = Math.sin(lat) * Math.cos(angle) + Math.cos(lat) * Math.sin(angle) * Math.cos(bearing);
    const turn = Math.atan2(
      Math.sin(bearing) * Math.sin(angle) * Math.cos(lat),
      Math.cos(angle) - Math.sin(lat) * sinLat,
    );
    const degrees = (lon + turn) / RADIANS;
    ring.push({
      lat: Math.asin(Math.max(-1, Math.min(1, sinLat))) / RADIANS,
      lon: ((((degrees + 180) % 360) + 360) % 360) - 180,
    });
  }
  const [first] = ring;
  return first === undefined ? ring : [...ring, first];
}
