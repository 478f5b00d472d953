import type { Condition } from './Filter.js';
import { distanceInMetres } from './geo/distanceInMetres.js';
import { isInBox } from './geo/isInBox.js';
import { isInPolygon } from './geo/isInPolygon.js';
import type { Point } from './geo/Point.js';

/** True if a point is inside the area of a geo condition. */
export function isInArea(
  condition: Condition & { readonly kind: `geo${string}` },
  point: Point,
): boolean {
  switch (condition.kind) {
    case 'geoBoundingBox':
      return isInBox(point, condition.box);
    case 'geoPolygon':
      return isInPolygon(point, condition.points);
    case 'geoDistance': {
      const metres = distanceInMetres(point, condition.centre);
      return metres <= condition.toMetres && metres >= (condition.fromMetres ?? 0);
    }
  }
}
