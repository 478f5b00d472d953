import { arcDistance, type Point } from '@millrace/language';
import type { Condition } from './Filter.js';
import { isInBox } from './geo/isInBox.js';
import { isInPolygon } from './geo/isInPolygon.js';

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
