import { nextSlice } from './nextSlice.js';
import { Queue } from './Queue.js';
import { FairQueue } from './FairQueue.js';
import { toAddressKey } from './toAddressKey.js';

/*
 * What many connections send at once is taken in slices, one per turn of the event loop: a thousand clients that come
 * back at the same time would block it for 100 ms with their handshakes and requests. Long messages are parsed one per
 * turn: 40 messages of 1 MiB that arrive together would block it for 200 ms, and short requests would wait for all of
 * them. What waits is taken in turn from each client address, so that one with many connections doesn't delay others.
 */
export const LONG_JSON_BYTES = 65_536;
/** Time for handshakes and short messages in one turn, in milliseconds. */
const TURN_MS = 4;
/** The same while connections arrive, in milliseconds: one is accepted per turn. */
const ARRIVING_TURN_MS = 1;
/** Turns are told apart this often at most, in milliseconds: `setImmediate` costs a tenth of a short request. */
const UNTIMED_MS = 1;

interface Work {
  readonly isLong: boolean;
  readonly run: () => void;
}

const waiting = new FairQueue<Work>();
/** When the time of this turn is used up; undefined: the turn isn't timed. */
let endMs: number | undefined;
let lastTurnMs = -Infinity;

/**
 * Runs work of a connection in this turn of the event loop, or in a later one.
 * @param address of the client, or its key
 * @param byteLength of the message, if the work is to parse one
 * @param run must not throw
 */
export function inTurn(address: string, byteLength: number, run: () => void): void {
  const isLong = byteLength > LONG_JSON_BYTES;
  if (!isLong && hasTime()) run();
  else wait(address, { isLong, run });
}

/** Whether short work may run in this turn of the event loop; `inTurn` waits for a later one. */
export function hasTime(): boolean {
  const nowMs = performance.now();
  if (endMs !== undefined) return waiting.size === 0 && nowMs < endMs;
  if (nowMs - lastTurnMs > UNTIMED_MS) begin(nowMs);
  return true;
}

function wait(address: string, work: Work): void {
  waiting.push([toAddressKey(address), '', ''], work);
  if (endMs === undefined) begin(performance.now());
}

function begin(nowMs: number): void {
  endMs = nowMs + TURN_MS - UNTIMED_MS;
  nextSlice(next);
}

function next(areArriving: boolean): void {
  const startMs = performance.now();
  const turnMs = areArriving ? ARRIVING_TURN_MS : TURN_MS;
  for (let work = waiting.take(); work !== undefined; work = waiting.take()) {
    work.run();
    if (work.isLong || performance.now() - startMs > turnMs) break;
  }
  lastTurnMs = performance.now();
  if (waiting.size > 0) begin(lastTurnMs);
  else endMs = undefined;
}

/** The messages of one connection, in order. */
export class ParseTurns {
  private readonly queue = new Queue<Work>();

  /** @param address of the client */
  constructor(private readonly address: string) {}

  /** True while a message waits: the caller should read nothing further. */
  get isWaiting(): boolean {
    return this.queue.size > 0;
  }

  /** @param take parses the message and passes it on; must not throw */
  add(byteLength: number, take: () => void): void {
    const isLong = byteLength > LONG_JSON_BYTES;
    if (!isLong && this.queue.size === 0 && hasTime()) {
      take();
      return;
    }
    this.queue.push({ isLong, run: take });
    if (this.queue.size === 1) wait(this.address, { isLong, run: this.takeFirst });
  }

  /** Drops the waiting messages. */
  clear(): void {
    this.queue.clear();
  }

  private readonly takeFirst = (): void => {
    // Undefined: the queue was cleared in the meantime.
    const first = this.queue.take();
    const second = this.queue.first;
    // Before the first one runs: what that adds to an empty queue waits by itself.
    if (second !== undefined) wait(this.address, { isLong: second.isLong, run: this.takeFirst });
    first?.run();
  };
}
