import { EARTH_RADIUS_METRES, type Point, RADIANS } from '@millrace/language';

/** Maximum distance between a chord and the circle. */
const TOLERANCE_METRES = 0.005;
/** The nearest distance to a pole at which bearings are defined: a centimetre. */
const MAX_LATITUDE = 90 - 1e-7;
const MIN_CORNERS = 64;
const MAX_CORNERS = 8_192;

/** A circle on the sphere as a closed ring with so many corners that it differs from the circle by millimetres. */
export function circlePolygon(center: Point, radiusMetres: number): Point[] {
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
