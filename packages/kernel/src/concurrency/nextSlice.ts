/*
 * Node accepts one connection of a port per turn of the event loop (libuv from 1.45 on). So on a server whose turns take
 * 20 ms because of long work, a newcomer waits for 10 s behind 500 connections that arrived before. While connections
 * arrive, work that is cut into slices therefore does less per turn, or lets turns pass.
 */

let acceptedCount = 0;

/** A connection was accepted in this turn of the event loop: more may wait. */
export function noteAccepted(): void {
  acceptedCount++;
}

/**
 * Runs a slice of work in the next turn of the event loop.
 * @param run `areArriving`: connections are being accepted, so the slice should be short
 * @param maxDelayMs how long to let turns pass while connections arrive, in milliseconds
 */
export function nextSlice(run: (areArriving: boolean) => void, maxDelayMs = 0): void {
  setImmediate(attempt, run, acceptedCount, maxDelayMs === 0 ? 0 : performance.now() + maxDelayMs);
}

function attempt(run: (areArriving: boolean) => void, seenCount: number, latestMs: number): void {
  const areArriving = acceptedCount !== seenCount;
  if (!areArriving || performance.now() >= latestMs) run(areArriving);
  else setImmediate(attempt, run, acceptedCount, latestMs);
}
