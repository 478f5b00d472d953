import type { Point } from '@millrace/language';

/**
 * Orders a ring so that Elasticsearch draws its edges the short way round, including across the date line. For a ring
 * that spans more than half the earth Elasticsearch uses the orientation: clockwise crosses the date line,
 * counterclockwise is as wide as its longitudes say. A span of exactly 360° never counts as crossing, so -180 is
 * written as 180.
 */
export function shortWayRound(ring: readonly Point[]): readonly Point[] {
  const lons = ring.map(({ lon }) => lon);
  if (Math.max(...lons) - Math.min(...lons) <= 180) return ring;
  const isOver = lons.some((lon, at) => at > 0 && Math.abs(lon - (lons[at - 1] as number)) > 180);
  const turned = isOver === isClockwise(ring) ? ring : ring.toReversed();
  return isOver ? turned.map(({ lat, lon }) => ({ lat, lon: lon === -180 ? 180 : lon })) : turned;
}

/** Tests the sign of its area on the plane of longitude and latitude. */
function isClockwise(ring: readonly Point[]): boolean {
  let area = 0;
  for (const [at, { lat, lon }] of ring.entries()) {
    const next = ring[(at + 1) % ring.length] as Point;
    area += lon * next.lat - next.lon * lat;
  }
  return area < 0;
}
