import { areaCovers, isOn, type Geometry, type Segment } from './Geometry.js';

/*
 * Relations of two geometries. They intersect if a point of one is in the other, two edges cross, or one is wholly
 * inside the other. One is within the other if its points are covered, its edges, cut at the edges of the other, are
 * covered piece by piece (the middle of a piece represents it), and no border of the other runs through the inside of
 * its areas with an uncovered side.
 */

/** Whether they have a point in common. */
export function intersects(a: Geometry, b: Geometry): boolean {
  if (a.west > b.east || b.west > a.east || a.south > b.north || b.south > a.north) return false;
  if (a.points.some(({ x, y }) => b.covers(x, y)) || b.points.some(({ x, y }) => a.covers(x, y))) return true;
  for (const edge of a.edges()) for (const other of b.edges()) if (meet(edge, other)) return true;
  // No borders meet: one may be inside an area of the other.
  return hasEdgeIn(a, b) || hasEdgeIn(b, a);
}

function hasEdgeIn(a: Geometry, b: Geometry): boolean {
  if (b.areas.length === 0) return false;
  for (const { ax, ay } of a.edges()) if (b.areas.some((area) => areaCovers(area, ax, ay))) return true;
  return false;
}

/** Whether every point of `a` is a point of `b`. */
export function isWithin(a: Geometry, b: Geometry): boolean {
  if (a.west < b.west || a.east > b.east || a.south < b.south || a.north > b.north) return false;
  if (!a.points.every(({ x, y }) => b.covers(x, y))) return false;
  const others = [...b.edges()];
  for (const edge of a.edges()) {
    for (const { x, y } of middles(edge, others)) if (!b.covers(x, y)) return false;
  }
  return a.areas.length === 0 || !hasGap(a, b, others);
}

/** Half a metre at most: so close to a border that only the area next to the border matters. */
const BESIDE = 1e-7;

/** Whether `b` has a gap inside `a`, along one of its borders. */
function hasGap(a: Geometry, b: Geometry, borders: readonly Segment[]): boolean {
  const own = [...a.edges()];
  for (const edge of borders) {
    const { ax, ay, bx, by } = edge;
    const length = Math.hypot(bx - ax, by - ay);
    if (length === 0) continue;
    const [nx, ny] = [(-(by - ay) / length) * BESIDE, ((bx - ax) / length) * BESIDE];
    for (const { x, y } of middles(edge, own)) {
      for (const side of [1, -1]) {
        const [px, py] = [x + side * nx, y + side * ny];
        const isInside = a.areas.some((area) => areaCovers(area, px, py));
        if (isInside && !own.some((one) => isOn(one, x, y)) && !b.covers(px, py)) return true;
      }
    }
  }
  return false;
}

/** The middle of each piece that others cut an edge into. */
function middles(edge: Segment, others: readonly Segment[]): { x: number; y: number }[] {
  const { ax, ay, bx, by } = edge;
  const cuts = [0, 1];
  for (const other of others) addCuts(edge, other, cuts);
  cuts.sort((p, q) => p - q);
  const found: { x: number; y: number }[] = [];
  for (let i = 1; i < cuts.length; i += 1) {
    const [from, to] = [cuts[i - 1] as number, cuts[i] as number];
    if (to - from < 1e-12) continue;
    const t = (from + to) / 2;
    found.push({ x: ax + (bx - ax) * t, y: ay + (by - ay) * t });
  }
  if (found.length === 0) found.push({ x: ax, y: ay });
  return found;
}

/** Adds the positions, from 0 to 1 along the edge, where the other one crosses it or begins and ends on it. */
function addCuts(edge: Segment, other: Segment, cuts: number[]): void {
  const { ax, ay, bx, by } = edge;
  const [dx, dy] = [bx - ax, by - ay];
  const [ex, ey] = [other.bx - other.ax, other.by - other.ay];
  const cross = dx * ey - dy * ex;
  const [fx, fy] = [other.ax - ax, other.ay - ay];
  if (cross !== 0) {
    const t = (fx * ey - fy * ex) / cross;
    const u = (fx * dy - fy * dx) / cross;
    if (t > 0 && t < 1 && u >= -1e-12 && u <= 1 + 1e-12) cuts.push(t);
    return;
  }
  const square = dx * dx + dy * dy;
  if (square === 0) return;
  for (const [x, y] of [
    [other.ax, other.ay],
    [other.bx, other.by],
  ] as const) {
    const t = ((x - ax) * dx + (y - ay) * dy) / square;
    if (t > 0 && t < 1 && isOn(edge, x, y)) cuts.push(t);
  }
}

/** Whether two segments have a point in common. */
function meet(a: Segment, b: Segment): boolean {
  if (Math.max(a.ax, a.bx) < Math.min(b.ax, b.bx) || Math.max(b.ax, b.bx) < Math.min(a.ax, a.bx)) return false;
  if (Math.max(a.ay, a.by) < Math.min(b.ay, b.by) || Math.max(b.ay, b.by) < Math.min(a.ay, a.by)) return false;
  const p = side(a, b.ax, b.ay);
  const q = side(a, b.bx, b.by);
  const r = side(b, a.ax, a.ay);
  const s = side(b, a.bx, a.by);
  if (((p > 0 && q < 0) || (p < 0 && q > 0)) && ((r > 0 && s < 0) || (r < 0 && s > 0))) return true;
  return (
    (p === 0 && isOn(a, b.ax, b.ay)) ||
    (q === 0 && isOn(a, b.bx, b.by)) ||
    (r === 0 && isOn(b, a.ax, a.ay)) ||
    (s === 0 && isOn(b, a.bx, a.by))
  );
}

/** Positive to the left of the segment, negative to the right, 0 on its line. */
function side({ ax, ay, bx, by }: Segment, x: number, y: number): number {
  return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
}
