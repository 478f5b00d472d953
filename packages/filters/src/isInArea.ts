import { arcDistance, type Point } from '@millrace/language';
import type { Condition } from './Filter.js';

/** Four sides in degrees, edges inclusive. `left` > `right` if the box crosses the 180° meridian. */
export interface Box {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Edges are inclusive; a box with `left` > `right` crosses the 180° meridian. */
export function isInBox({ lat, lon }: Point, { top, left, bottom, right }: Box): boolean {
  if (lat > top || lat < bottom) return false;
  return left <= right ? lon >= left && lon <= right : lon >= left || lon <= right;
}

const TOLERANCE_DEGREES = 1e-9;

/** Planar even-odd rule in degrees, edges inclusive (FILTER-23). The ring closes itself. */
export function isInPolygon(point: Point, ring: readonly Point[]): boolean {
  let isInside = false;
  let previous = ring[ring.length - 1];
  for (const next of ring) {
    if (previous === undefined) return false;
    if (isOnEdge(point, previous, next)) return true;
    if (crosses(point, previous, next)) isInside = !isInside;
    previous = next;
  }
  return isInside;
}

/** True if the ray from the point to the east crosses this edge. */
function crosses({ lat, lon }: Point, a: Point, b: Point): boolean {
  if (a.lat > lat === b.lat > lat) return false;
  return lon < a.lon + ((lat - a.lat) * (b.lon - a.lon)) / (b.lat - a.lat);
}

function isOnEdge({ lat, lon }: Point, a: Point, b: Point): boolean {
  const [dLat, dLon] = [b.lat - a.lat, b.lon - a.lon];
  const squaredLength = dLat * dLat + dLon * dLon;
  const along = ((lat - a.lat) * dLat + (lon - a.lon) * dLon) / (squaredLength || 1);
  const nearest = Math.min(1, Math.max(0, along));
  const away = Math.hypot(lat - a.lat - nearest * dLat, lon - a.lon - nearest * dLon);
  return away <= TOLERANCE_DEGREES;
}

/** True if a point is inside the area of a geo condition. */
export function isInArea(condition: Condition & { readonly kind: `geo${string}` }, point: Point): boolean {
  switch (condition.kind) {
    case 'geoBoundingBox':
      return isInBox(point, condition.box);
    case 'geoPolygon':
      return isInPolygon(point, condition.points);
    case 'geoDistance': {
      const { lat, lon } = condition.centre;
      const metres = arcDistance(point.lat, point.lon, lat, lon);
      return metres <= condition.toMetres && metres >= (condition.fromMetres ?? 0);
    }
  }
}
