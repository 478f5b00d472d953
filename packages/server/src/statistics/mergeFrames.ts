import type { Counts, StatisticsFrame } from './StatisticsFrame.js';

/**
 * Merges frames of several nodes into frames of their cluster: those that end at the same time are added up.
 * @param frames oldest first
 */
export function mergeFrames(frames: readonly StatisticsFrame[]): readonly StatisticsFrame[] {
  const merged: StatisticsFrame[] = [];
  for (const frame of frames) {
    const last = merged.at(-1);
    if (last?.timestamp === frame.timestamp) merged[merged.length - 1] = sum(last, frame);
    else merged.push(frame);
  }
  return merged;
}

function sum(one: StatisticsFrame, other: StatisticsFrame): StatisticsFrame {
  return {
    completedRequests: sumCounts(one.completedRequests, other.completedRequests),
    failedRequests: sumCounts(one.failedRequests, other.failedRequests),
    ongoingRequests: sumCounts(one.ongoingRequests, other.ongoingRequests),
    connections: sumCounts(one.connections, other.connections),
    slowConsumers: sumCounts(one.slowConsumers, other.slowConsumers),
    timestamp: one.timestamp,
  };
}

/** A frame of an older version may lack one of the counts. */
function sumCounts(one: Counts = {}, other: Counts = {}): Counts {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, countOf(one, name) + countOf(other, name)]));
}

function countOf(counts: Counts, name: string): number {
  return Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0;
}
