import type { Deadline } from '../Deadline.js';
import type { FieldIndex } from '../fields/FieldIndex.js';
import { Geometry } from '../geo/Geometry.js';
import { constantMatches, type Matches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';

/** Documents whose shapes or points pass a test, with a constant score. */
export class ShapeNode implements QueryNode {
  readonly test: (slot: number) => boolean;

  constructor(
    private readonly field: Extract<FieldIndex, { kind: 'shape' | 'point' }>,
    accepts: (stored: Geometry) => boolean,
    readonly constantScore: number,
    private readonly deadline: Deadline,
  ) {
    this.test = (slot) => {
      const stored = geometryOf(field, slot);
      return stored !== undefined && accepts(stored);
    };
  }

  estimate(): number {
    return this.field.kind === 'shape' ? this.field.shapes.size : this.field.column.length;
  }

  match(): Matches {
    const { field } = this;
    const slots =
      field.kind === 'shape'
        ? field.shapes.keys()
        : Int32Array.from({ length: field.column.length }, (_, slot) => slot);
    const found: number[] = [];
    for (const slot of slots) {
      if ((slot & 63) === 0) this.deadline.check();
      if (this.test(slot)) found.push(slot);
    }
    return constantMatches(Int32Array.from(found), this.constantScore);
  }
}

function geometryOf(field: Extract<FieldIndex, { kind: 'shape' | 'point' }>, slot: number): Geometry | undefined {
  if (field.kind === 'shape') return field.geometry(slot);
  const points = field.column.pointsOf(slot, (lat, lon) => ({ lat, lon }));
  return points.length === 0 ? undefined : new Geometry([{ kind: 'multi_point', points }]);
}
