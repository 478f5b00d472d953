import { Queue, type Cursor } from '@millrace/kernel';
import { BYTES_PER_CHARACTER } from './WindowHit.js';
import type { WindowDelta } from './windowDelta.js';

const MAX_DELTAS = 32;
const MAX_LENGTH = 2 ** 18;

/** The last deltas, for followers that return. */
export class SentDeltas {
  private readonly deltas = new Queue<WindowDelta>();
  private lengthSum = 0;

  /** Estimated memory. */
  get bytes(): number {
    return BYTES_PER_CHARACTER * this.lengthSum;
  }

  /** Drops the oldest ones, if there are too many. */
  add(delta: WindowDelta): void {
    this.deltas.push(delta);
    this.lengthSum += delta.json.length;
    while (this.deltas.size > MAX_DELTAS || this.lengthSum > MAX_LENGTH) {
      this.lengthSum -= this.deltas.take()?.json.length ?? 0;
    }
  }

  /** The deltas from a position; undefined if it is too old or unknown. */
  after(cursor: Cursor): readonly WindowDelta[] | undefined {
    const deltas = [...this.deltas];
    const first = deltas.findIndex(({ base }) => base === cursor);
    return first < 0 ? undefined : deltas.slice(first);
  }
}
