import type { Point } from './points.js';

/** A rectangle on the earth, in degrees; it never crosses the date line. */
export interface Box {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Size of the map, in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The part of the earth that a map shows, in Mercator's projection: shapes of a small part are right. */
export interface MapView {
  /** The middle: 0 to 1 from west to east, and from north to south. */
  readonly x: number;
  readonly y: number;
  /** Width of the whole earth, in pixels. */
  readonly scale: number;
}

const MAX_LATITUDE = 85;
const MIN_SCALE = 200;
/** About 1 pixel per 2 cm. */
const MAX_SCALE = 2 ** 31;
const MARGIN = 40;
/** A single point is shown with its town. */
const TOWN_SCALE = 2 ** 20;

/** The place of a point on the whole earth. */
export function toWorld({ lat, lon }: Point): readonly [number, number] {
  const angle = (Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, lat)) * Math.PI) / 180;
  return [lon / 360 + 0.5, 0.5 - Math.asinh(Math.tan(angle)) / (2 * Math.PI)];
}

function toPoint(x: number, y: number): Point {
  return { lat: (Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180) / Math.PI, lon: (x - 0.5) * 360 };
}

/** The pixel of a point. */
export function toPixel(point: Point, { x, y, scale }: MapView, { width, height }: Size): readonly [number, number] {
  const [worldX, worldY] = toWorld(point);
  return [(worldX - x) * scale + width / 2, (worldY - y) * scale + height / 2];
}

/** The point of a pixel. */
export function fromPixel([left, top]: readonly [number, number], view: MapView, { width, height }: Size): Point {
  return toPoint(view.x + (left - width / 2) / view.scale, view.y + (top - height / 2) / view.scale);
}

export function boxOf(view: MapView, size: Size): Box {
  const [first, last] = [fromPixel([0, 0], view, size), fromPixel([size.width, size.height], view, size)];
  return {
    top: Math.min(90, first.lat),
    left: Math.max(-180, first.lon),
    bottom: Math.max(-90, last.lat),
    right: Math.min(180, last.lon),
  };
}

/** The view of all points; without any, of the earth. */
export function viewOf(points: readonly Point[], { width, height }: Size): MapView {
  if (points.length === 0) return { x: 0.5, y: 0.45, scale: Math.max(MIN_SCALE, width) };
  const places = points.map(toWorld);
  const [left, right] = ends(places.map(([x]) => x));
  const [top, bottom] = ends(places.map(([, y]) => y));
  const across = (width - 2 * MARGIN) / Math.max(right - left, 1e-9);
  const down = (height - 2 * MARGIN) / Math.max(bottom - top, 1e-9);
  return limited({ x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.min(across, down, TOWN_SCALE) });
}

export function panned(view: MapView, right: number, down: number): MapView {
  return limited({ ...view, x: view.x + right / view.scale, y: view.y + down / view.scale });
}

/** @param at the pixel that keeps its place */
export function zoomed(view: MapView, factor: number, at: readonly [number, number], size: Size): MapView {
  const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, view.scale * factor));
  const [right, down] = [at[0] - size.width / 2, at[1] - size.height / 2];
  const by = 1 / view.scale - 1 / scale;
  return limited({ x: view.x + right * by, y: view.y + down * by, scale });
}

function limited({ x, y, scale }: MapView): MapView {
  const within = (value: number) => Math.min(1, Math.max(0, value));
  return { x: within(x), y: within(y), scale: Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale)) };
}

function ends(values: readonly number[]): readonly [number, number] {
  return [
    values.reduce((least, value) => Math.min(least, value), Infinity),
    values.reduce((most, value) => Math.max(most, value), -Infinity),
  ];
}
