import type { Point } from '@millrace/language';

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
