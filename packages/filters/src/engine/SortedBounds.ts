/*
 * Ranges with one bound (`gte: x`), sorted by it in blocks: a number takes whole blocks below it without a comparison,
 * and compares within one block. Adding and removing move only the entries of one block.
 */
import type { MatchSink } from './MatchSink.js';

const BLOCK_SIZE = 512;

interface Block {
  count: number;
  bounds: Float64Array;
  handles: Int32Array;
}

export class SortedBounds {
  private readonly blocks: Block[] = [];

  get isEmpty(): boolean {
    return this.blocks.length === 0;
  }

  get byteCount(): number {
    return this.blocks.reduce((sum, { bounds }) => sum + 300 + bounds.length * 12, 0);
  }

  add(bound: number, handle: number): void {
    let at = Math.min(this.blockOf(bound), this.blocks.length - 1);
    if (at < 0) {
      this.blocks.push(emptyBlock(4));
      at = 0;
    }
    let block = this.blocks[at] as Block;
    if (block.count === BLOCK_SIZE) {
      this.split(at);
      const left = this.blocks[at] as Block;
      block = bound <= (left.bounds[left.count - 1] as number) ? left : (this.blocks[at + 1] as Block);
    } else if (block.count === block.handles.length) {
      block = this.blocks[at] = resized(block, Math.min(BLOCK_SIZE, 2 * block.count));
    }
    const place = firstNotBelow(block, bound);
    block.bounds.copyWithin(place + 1, place, block.count);
    block.handles.copyWithin(place + 1, place, block.count);
    block.bounds[place] = bound;
    block.handles[place] = handle;
    block.count++;
  }

  remove(bound: number, handle: number): void {
    // Equal bounds may span several blocks.
    for (let at = this.blockOf(bound); at < this.blocks.length; at++) {
      const block = this.blocks[at] as Block;
      if ((block.bounds[0] as number) > bound) return;
      const place = block.handles.indexOf(handle);
      if (place < 0 || place >= block.count) continue;
      block.bounds.copyWithin(place, place + 1, block.count);
      block.handles.copyWithin(place, place + 1, block.count);
      block.count--;
      if (block.count === 0) this.blocks.splice(at, 1);
      else if (4 * block.count <= block.handles.length && block.count > 2) {
        this.blocks[at] = resized(block, 2 * block.count);
      }
      return;
    }
  }

  /** Reports the ranges whose bound is at most the value. */
  collect(value: number, sink: MatchSink): void {
    for (const { bounds, handles, count } of this.blocks) {
      const isWhole = (bounds[count - 1] as number) <= value;
      for (let i = 0; i < count; i++) {
        if (!isWhole && (bounds[i] as number) > value) return;
        sink.add(handles[i] as number);
      }
    }
  }

  /** The first block whose last bound is not below the value. */
  private blockOf(bound: number): number {
    let low = 0;
    let high = this.blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const { bounds, count } = this.blocks[middle] as Block;
      if ((bounds[count - 1] as number) < bound) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private split(at: number): void {
    const block = this.blocks[at] as Block;
    const half = block.count >> 1;
    const right = emptyBlock(BLOCK_SIZE);
    right.bounds.set(block.bounds.subarray(half, block.count));
    right.handles.set(block.handles.subarray(half, block.count));
    right.count = block.count - half;
    block.count = half;
    this.blocks.splice(at + 1, 0, right);
  }
}

function firstNotBelow({ bounds, count }: Block, bound: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function emptyBlock(capacity: number): Block {
  return { count: 0, bounds: new Float64Array(capacity), handles: new Int32Array(capacity) };
}

function resized({ count, bounds, handles }: Block, capacity: number): Block {
  const block = emptyBlock(capacity);
  block.bounds.set(bounds.subarray(0, count));
  block.handles.set(handles.subarray(0, count));
  block.count = count;
  return block;
}
