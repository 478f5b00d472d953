import type { Cursor } from '@millrace/kernel';
import type { WindowDelta } from './windowDelta.js';

const MAX_DELTAS = 32;
const MAX_LENGTH = 2 ** 18;

/** The last deltas, for followers that return. */
export class SentDeltas {
  private readonly deltas: WindowDelta[] = [];
  private lengthSum = 0;

  /** Of their JSON. */
  get length(): number {
    return this.lengthSum;
  }

  /** Drops the oldest ones, if there are too many. */
  add(delta: WindowDelta): void {
    this.deltas.push(delta);
    this.lengthSum += delta.json.length;
    while (this.deltas.length > MAX_DELTAS || this.lengthSum > MAX_LENGTH) {
      this.lengthSum -= this.deltas.shift()?.json.length ?? 0;
    }
  }

  /** The deltas from a position; undefined if it is too old or unknown. */
  after(cursor: Cursor): readonly WindowDelta[] | undefined {
    const first = this.deltas.findIndex(({ base }) => base === cursor);
    return first < 0 ? undefined : this.deltas.slice(first);
  }
}
