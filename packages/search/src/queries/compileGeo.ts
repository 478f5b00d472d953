import { arcDistance, circleBounds } from '@millrace/language';
import type { GeoBoundingBoxQuery, GeoDistanceQuery, GeoPolygonQuery, GeoShapeQuery, OnField } from '@millrace/query';
import type { PointBox } from '../columns/PointGrid.js';
import type { Deadline } from '../Deadline.js';
import type { PointField, ShapeField } from '../fields/FieldIndex.js';
import { Geometry, isInCircle } from '../geo/Geometry.js';
import { intersects, isWithin } from '../geo/relations.js';
import { indexOf, type SearchScope } from '../SearchScope.js';
import { PointNode } from './PointNode.js';
import type { QueryNode } from './QueryNode.js';
import { NO_DOCUMENT, setNode } from './setNode.js';

/** The points of the field; undefined if no document has any. */
function pointField({ mapped }: OnField, scope: SearchScope): PointField | undefined {
  const index = indexOf(scope, mapped);
  return index?.kind === 'point' ? index : undefined;
}

/** Points within a distance, measured along the arc: `distance_type` applies to sorts only. */
export function compileGeoDistance(query: GeoDistanceQuery & OnField, scope: SearchScope): QueryNode {
  const field = pointField(query, scope);
  if (field === undefined) return NO_DOCUMENT;
  const { lat, lon } = query.point;
  const metres = query.distanceMetres;
  const { south, north, halfWidth } = circleBounds(lat, metres);
  const accepts = (pointLat: number, pointLon: number) => {
    if (pointLat < south || pointLat > north) return false;
    const apart = Math.abs(pointLon - lon);
    if (apart > halfWidth && 360 - apart > halfWidth) return false;
    return arcDistance(lat, lon, pointLat, pointLon) <= metres;
  };
  const spans = spansAround(lon, halfWidth);
  return new PointNode(field.column, accepts, query.boost, scope.deadline, { south, north, spans });
}

const EVERYWHERE = [[-Infinity, Infinity]] as const;

/** The longitudes within a number of degrees of one, on either side, across the date line too. */
function spansAround(lon: number, halfWidth: number): PointBox['spans'] {
  if (halfWidth >= 180) return EVERYWHERE;
  const [west, east] = [lon - halfWidth, lon + halfWidth];
  if (west < -180)
    return [
      [-Infinity, east],
      [west + 360, Infinity],
    ];
  if (east > 180)
    return [
      [west, Infinity],
      [-Infinity, east - 360],
    ];
  return [[west, east]];
}

/** Points in a box. */
export function compileBoundingBox(query: GeoBoundingBoxQuery & OnField, scope: SearchScope): QueryNode {
  const field = pointField(query, scope);
  if (field === undefined) return NO_DOCUMENT;
  const { top, bottom, left, right } = query;
  const accepts = (lat: number, lon: number) =>
    lat <= top && lat >= bottom && (left <= right ? lon >= left && lon <= right : lon >= left || lon <= right);
  const spans =
    left <= right
      ? ([[left, right]] as const)
      : ([
          [-Infinity, right],
          [left, Infinity],
        ] as const);
  return new PointNode(field.column, accepts, query.boost, scope.deadline, {
    south: bottom,
    north: top,
    spans,
  });
}

/** Points in a polygon. */
export function compilePolygon(query: GeoPolygonQuery & OnField, scope: SearchScope): QueryNode {
  const field = pointField(query, scope);
  if (field === undefined) return NO_DOCUMENT;
  const area = new Geometry([{ kind: 'polygon', rings: [query.points] }]);
  const { south, north, west, east } = area;
  const box = { south, north, spans: [[west, east]] as const };
  const accepts = (lat: number, lon: number) => area.covers(lon, lat);
  return new PointNode(field.column, accepts, query.boost, scope.deadline, box);
}

/** Shapes or points by their relation to a shape. */
export function compileShape(query: GeoShapeQuery & OnField, scope: SearchScope): QueryNode {
  const index = indexOf(scope, query.mapped);
  if (index?.kind !== 'shape' && index?.kind !== 'point') return NO_DOCUMENT;
  const { shape, relation, boost } = query;
  if (index.kind === 'point' && shape.kind === 'circle' && relation === 'intersects') {
    const { center, radiusMetres } = shape;
    const accepts = (lat: number, lon: number) => isInCircle(center, radiusMetres, lat, lon);
    return new PointNode(index.column, accepts, boost, scope.deadline);
  }
  const accepts = relationTo(new Geometry([shape]), relation);
  return shapeNode(index, accepts, boost, scope.deadline);
}

function relationTo(wanted: Geometry, relation: GeoShapeQuery['relation']): (stored: Geometry) => boolean {
  switch (relation) {
    case 'intersects':
      return (stored) => intersects(stored, wanted);
    case 'disjoint':
      return (stored) => !intersects(stored, wanted);
    case 'within':
      return (stored) => isWithin(stored, wanted);
    case 'contains':
      return (stored) => isWithin(wanted, stored);
  }
}

/** Documents whose shapes or points pass a test, with a constant score. */
function shapeNode(
  field: ShapeField | PointField,
  accepts: (stored: Geometry) => boolean,
  score: number,
  deadline: Deadline,
): QueryNode {
  const test = (slot: number) => {
    const stored = geometryOf(field, slot);
    return stored !== undefined && accepts(stored);
  };
  const isShape = field.kind === 'shape';
  const find = () => {
    const found: number[] = [];
    for (const slot of isShape ? field.shapes.keys() : Array(field.column.length).keys()) {
      if ((slot & 63) === 0) deadline.check();
      if (test(slot)) found.push(slot);
    }
    return Int32Array.from(found);
  };
  return setNode(score, () => (isShape ? field.shapes.size : field.column.length), find, test);
}

function geometryOf(field: ShapeField | PointField, slot: number): Geometry | undefined {
  if (field.kind === 'shape') return field.geometry(slot);
  const points = field.column.pointsOf(slot, (lat, lon) => ({ lat, lon }));
  return points.length === 0 ? undefined : new Geometry([{ kind: 'multi_point', points }]);
}
