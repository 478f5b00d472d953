import type { JsonScalar } from '@millrace/language';
import type { CompiledTest } from './CompiledTest.js';
import { tagOf, type HandleTable } from './HandleTable.js';
import type { MatchSink } from './MatchSink.js';
import { PostingList } from './PostingList.js';

/**
 * `equals` and `in` on one field: a hash bucket per value. A `Map` keeps types apart, treats −0 and 0 as equal, and
 * takes any string as key. A bucket of one filter, the most common case, is its bare handle; the handle is complemented
 * (`~handle`) if the value is the filter's only condition, so that no column has to be read.
 */
export class EqualityIndex {
  private readonly buckets = new Map<JsonScalar, number | PostingList>();

  get isEmpty(): boolean {
    return this.buckets.size === 0;
  }

  get byteCount(): number {
    let bytes = this.buckets.size * 48;
    for (const bucket of this.buckets.values()) {
      if (typeof bucket !== 'number') bytes += 64 + bucket.size * 16;
    }
    return bytes;
  }

  add(value: JsonScalar, handle: number, table: HandleTable, residual: CompiledTest | undefined): void {
    const bucket = this.buckets.get(value);
    if (bucket === undefined) {
      this.buckets.set(value, tagOf(handle, table));
      return;
    }
    let list = bucket;
    if (typeof list === 'number') {
      const first = handleIn(list);
      list = new PostingList();
      list.add(first, table, undefined);
      this.buckets.set(value, list);
    }
    list.add(handle, table, residual);
  }

  remove(value: JsonScalar, handle: number, table: HandleTable, residual: CompiledTest | undefined): void {
    const bucket = this.buckets.get(value);
    if (bucket === undefined) return;
    if (typeof bucket === 'number') {
      if (handleIn(bucket) === handle) this.buckets.delete(value);
      return;
    }
    bucket.remove(handle, table, residual);
    if (bucket.size === 0) this.buckets.delete(value);
  }

  /** Number of filters indexed under a value. */
  loadOf(value: JsonScalar): number {
    const bucket = this.buckets.get(value);
    if (bucket === undefined) return 0;
    return typeof bucket === 'number' ? 1 : bucket.size;
  }

  collect(value: JsonScalar, sink: MatchSink): void {
    const bucket = this.buckets.get(value);
    if (bucket === undefined) return;
    if (typeof bucket !== 'number') sink.addAll(bucket);
    else sink.add(bucket);
  }
}

function handleIn(bucket: number): number {
  return bucket < 0 ? ~bucket : bucket;
}
