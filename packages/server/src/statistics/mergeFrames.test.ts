import { describe, expect, it } from 'vitest';
import { mergeFrames } from './mergeFrames.js';
import type { StatisticsFrame } from './StatisticsFrame.js';

function frame(atMs: number, counts: Record<string, number>): StatisticsFrame {
  const same = { completedRequests: counts, failedRequests: counts, ongoingRequests: counts };
  return { ...same, connections: counts, slowConsumers: counts, timestamp: String(atMs) };
}

describe('mergeFrames', () => {
  it('adds up what nodes counted until the same moment, protocol by protocol', () => {
    const frames = [frame(10, { http: 1 }), frame(10, { http: 2, mqtt: 3 }), frame(20, { http: 4 })];
    expect(mergeFrames(frames)).toEqual([frame(10, { http: 3, mqtt: 3 }), frame(20, { http: 4 })]);
  });

  it('takes no name for a property of objects', () => {
    const [merged] = mergeFrames([frame(10, { http: 1 }), frame(10, { constructor: 2 })]);
    expect(merged).toEqual(frame(10, { http: 1, constructor: 2 }));
  });
});
