import { circleBounds } from '@millrace/language';
import type { Area } from './CompiledTest.js';

/** A rectangle in degrees, edges inclusive, that never crosses the 180° meridian. */
export interface Rectangle {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Added to each side of a polygon: the rounding error and the tolerance of its edges (10⁻⁹°). */
const MARGIN_DEGREES = 3e-9;

/** One or two rectangles that contain every point of an area. */
export function areaBounds(area: Area): readonly Rectangle[] {
  switch (area.kind) {
    case 'geoBoundingBox': {
      const { top, left, bottom, right } = area.box;
      if (left <= right) return [{ top, left, bottom, right }];
      return [
        { top, left, bottom, right: 180 },
        { top, left: -180, bottom, right },
      ];
    }
    case 'geoPolygon': {
      let [top, left, bottom, right] = [-Infinity, Infinity, Infinity, -Infinity];
      for (const { lat, lon } of area.points) {
        top = Math.max(top, lat);
        bottom = Math.min(bottom, lat);
        left = Math.min(left, lon);
        right = Math.max(right, lon);
      }
      return [
        {
          top: top + MARGIN_DEGREES,
          left: left - MARGIN_DEGREES,
          bottom: bottom - MARGIN_DEGREES,
          right: right + MARGIN_DEGREES,
        },
      ];
    }
    case 'geoDistance':
      return discBounds(area.centre.lat, area.centre.lon, area.toMetres);
  }
}

function discBounds(lat: number, lon: number, metres: number): readonly Rectangle[] {
  const { south, north, halfWidth } = circleBounds(lat, metres);
  const top = Math.min(90, north);
  const bottom = Math.max(-90, south);
  if (halfWidth >= 180) return [{ top, left: -180, bottom, right: 180 }];
  const [left, right] = [lon - halfWidth, lon + halfWidth];
  if (left < -180)
    return [
      { top, left: -180, bottom, right },
      { top, left: left + 360, bottom, right: 180 },
    ];
  if (right > 180)
    return [
      { top, left, bottom, right: 180 },
      { top, left: -180, bottom, right: right - 360 },
    ];
  return [{ top, left, bottom, right }];
}
