import { IntegerList } from './IntegerList.js';
import type { MatchRun } from './MatchRun.js';
import type { MatchSink } from './MatchSink.js';
import type { PostingList } from './PostingList.js';

/** Receives the conditions whose negations do not hold: their handles are marked and listed. */
export class Exclusions implements MatchSink {
  /** The conditions of one field. */
  readonly handles = new IntegerList([]);

  constructor(private readonly run: MatchRun) {}

  begin(): void {
    this.handles.length = 0;
  }

  add(tag: number): void {
    const handle = tag < 0 ? ~tag : tag;
    const { generation, table } = this.run;
    // Another value of the field, or of the condition, has excluded it.
    if (table.excludedAt[handle] === generation) return;
    table.excludedAt[handle] = generation;
    this.handles.push(handle);
  }

  addAll({ handles }: PostingList): void {
    for (const handle of handles) this.add(handle);
  }

  addAround(value: number, bounds: Float64Array, tags: Int32Array, count: number): void {
    for (let i = 0; i < count; i++) {
      if (value < (bounds[2 * i] as number) || value > (bounds[2 * i + 1] as number)) continue;
      this.add(tags[i] as number);
    }
  }
}
