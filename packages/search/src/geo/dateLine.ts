import type { Point } from '@millrace/language';
import type { Segment } from './Geometry.js';

/*
 * Cuts shapes at the date line. A shape is unrolled, so that adjacent corners are never more than half a turn apart,
 * then cut into pieces at every 180th degree, and each piece is shifted back between -180 and 180. A piece is in one of
 * the windows 0 (unshifted), 1 (a turn to the east), -1 …
 */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** The corners without jumps across the date line. */
export function unrolled(points: readonly Point[]): Place[] {
  let shift = 0;
  return points.map(({ lat, lon }, at) => {
    const before = points[at - 1];
    if (before !== undefined && Math.abs(lon - before.lon) > 180) {
      shift += lon > before.lon ? -360 : 360;
    }
    return { x: lon + shift, y: lat };
  });
}

/** The pieces of an unrolled line, between -180 and 180. */
export function cutLine(line: readonly Place[]): (readonly Place[])[] {
  const { first, last } = windowsOf(line);
  return first === 0 && last === 0 ? [line] : piecesOf(line, first, last);
}

/**
 * The border of an area of unrolled rings (the outer one and its holes), between -180 and 180. Where a meridian cuts
 * the area, the border follows it: between the first and the second crossing, the third and the fourth …
 */
export function cutRings(rings: readonly (readonly Place[])[]): Segment[] {
  const closed = rings.map(overPole);
  const { first, last } = windowsOf(closed.flat());
  if (first === 0 && last === 0) return closed.flatMap(segmentsOf);
  const border: Segment[] = [];
  for (const ring of closed) {
    for (const piece of piecesOf(ring, first, last)) border.push(...segmentsOf(piece));
  }
  for (let turn = first; turn < last; turn += 1) {
    const crossings = closed.flatMap((ring) => crossingsOf(ring, 360 * turn + 180));
    crossings.sort((p, q) => p - q);
    for (let i = 1; i < crossings.length; i += 2) {
      const [ay, by] = [crossings[i - 1] as number, crossings[i] as number];
      border.push({ ax: 180, ay, bx: 180, by }, { ax: -180, ay, bx: -180, by });
    }
  }
  return border;
}

export function segmentsOf(places: readonly Place[]): Segment[] {
  const segments: Segment[] = [];
  for (let i = 1; i < places.length; i += 1) {
    const [a, b] = [places[i - 1] as Place, places[i] as Place];
    segments.push({ ax: a.x, ay: a.y, bx: b.x, by: b.y });
  }
  return segments;
}

/** A ring around a pole ends a turn away from its start: it is closed along the pole. */
function overPole(ring: readonly Place[]): readonly Place[] {
  const [first, last] = [ring[0], ring.at(-1)];
  if (first === undefined || last === undefined || Math.abs(last.x - first.x) < 180) return ring;
  const pole = ring.reduce((sum, { y }) => sum + y, 0) < 0 ? -90 : 90;
  return [...ring, { x: last.x, y: pole }, { x: first.x, y: pole }, first];
}

function windowsOf(places: readonly Place[]): { readonly first: number; readonly last: number } {
  let [west, east] = [180, -180];
  for (const { x } of places) [west, east] = [Math.min(west, x), Math.max(east, x)];
  return {
    first: Math.min(0, Math.floor((west + 180) / 360)),
    last: Math.max(0, Math.ceil((east - 180) / 360)),
  };
}

function piecesOf(line: readonly Place[], first: number, last: number): Place[][] {
  const pieces: Place[][] = [];
  for (let turn = first; turn <= last; turn += 1) {
    let piece: Place[] = [];
    for (let i = 1; i < line.length; i += 1) {
      const [from, to] = [line[i - 1] as Place, line[i] as Place];
      const [start, end] = [within(from, to, turn), within(to, from, turn)];
      if (start === undefined || end === undefined) continue;
      const before = piece.at(-1);
      if (before?.x !== start.x || before.y !== start.y) pieces.push((piece = [start]));
      piece.push(end);
    }
  }
  return pieces;
}

/** The first point within a window on the way from `place` to `other`, shifted back; undefined if there is none. */
function within(place: Place, other: Place, turn: number): Place | undefined {
  const [west, east] = [360 * turn - 180, 360 * turn + 180];
  const [least, most] = [Math.min(place.x, other.x), Math.max(place.x, other.x)];
  // A segment that only touches the window, or follows its eastern border, belongs to the next one.
  if (most < west || least >= east || (most === west && least < west)) return undefined;
  const border = place.x < west ? west : place.x > east ? east : undefined;
  const { x, y } = border === undefined ? place : crossing(place, other, border);
  return { x: x - 360 * turn, y };
}

function crossing(a: Place, b: Place, x: number): Place {
  return { x, y: a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x) };
}

/** The points where a closed ring crosses a meridian. */
function crossingsOf(ring: readonly Place[], meridian: number): number[] {
  const found: number[] = [];
  for (let i = 1; i < ring.length; i += 1) {
    const [a, b] = [ring[i - 1] as Place, ring[i] as Place];
    if (a.x < meridian !== b.x < meridian) found.push(crossing(a, b, meridian).y);
  }
  return found;
}
