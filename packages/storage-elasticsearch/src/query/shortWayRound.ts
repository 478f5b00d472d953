import type { Point } from '@millrace/query';

/**
 * A ring as a server has to have it so that its edges go the short way round, over the date line too. Of a ring that spans
 * more than half the earth a server goes by the turn: clockwise it goes over the date line, otherwise it is as wide as it
 * looks. All around the earth it is never over the line, so that its ends have to be one and the same meridian.
 */
export function shortWayRound(ring: readonly Point[]): readonly Point[] {
  const lons = ring.map(({ lon }) => lon);
  if (Math.max(...lons) - Math.min(...lons) <= 180) return ring;
  const isOver = lons.some((lon, at) => at > 0 && Math.abs(lon - (lons[at - 1] as number)) > 180);
  const turned = isOver === isClockwise(ring) ? ring : ring.toReversed();
  return isOver ? turned.map(({ lat, lon }) => ({ lat, lon: lon === -180 ? 180 : lon })) : turned;
}

/** By its area on the plane of longitude and latitude. */
function isClockwise(ring: readonly Point[]): boolean {
  let area = 0;
  for (const [at, { lat, lon }] of ring.entries()) {
    const next = ring[(at + 1) % ring.length] as Point;
    area += lon * next.lat - next.lon * lat;
  }
  return area < 0;
}
