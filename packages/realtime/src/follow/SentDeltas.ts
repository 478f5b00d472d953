import type { Cursor, JsonObject } from '@millrace/kernel';

const MAX_DELTAS = 32;
const MAX_LENGTH = 2 ** 18;

/** A delta as it was sent. */
export interface SentDelta {
  readonly base: Cursor;
  readonly content: JsonObject;
  /** Of its JSON. */
  readonly length: number;
}

/** The last deltas, for followers that return. */
export class SentDeltas {
  constructor(private readonly deltas: readonly SentDelta[]) {}

  /** Of their JSON. */
  get length(): number {
    return lengthOf(this.deltas);
  }

  /** Without the oldest ones, if there are too many. */
  with(delta: SentDelta): SentDeltas {
    const deltas = [...this.deltas, delta].slice(-MAX_DELTAS);
    while (lengthOf(deltas) > MAX_LENGTH) deltas.shift();
    return new SentDeltas(deltas);
  }

  /** The deltas from a position; undefined if it is too old or unknown. */
  after(cursor: Cursor): readonly SentDelta[] | undefined {
    const first = this.deltas.findIndex(({ base }) => base === cursor);
    return first < 0 ? undefined : this.deltas.slice(first);
  }
}

function lengthOf(deltas: readonly SentDelta[]): number {
  return deltas.reduce((sum, { length }) => sum + length, 0);
}
