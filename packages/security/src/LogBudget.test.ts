import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LogBudget, type SuppressedLines } from './LogBudget.js';

const summaries: SuppressedLines[] = [];
const open = () => new LogBudget((suppressed) => void summaries.push(suppressed));

beforeEach(() => {
  vi.useFakeTimers();
  summaries.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

describe('LogBudget', () => {
  it('lets 20 lines of an address through in 10 s, then says once how many there were', () => {
    const budget = open();
    const taken = Array.from({ length: 100 }, () => budget.take('192.0.2.1'));
    expect(taken.filter(Boolean)).toHaveLength(20);
    expect(budget.take('192.0.2.2')).toBe(true);
    vi.advanceTimersByTime(10_000);
    expect(summaries).toEqual([
      { suppressedCount: 80, withinMs: 10_000, addresses: { '192.0.2.1': 100, '192.0.2.2': 1 } },
    ]);
    expect(budget.take('192.0.2.1')).toBe(true);
    vi.advanceTimersByTime(60_000);
    expect(summaries).toHaveLength(1);
  });

  it('bounds the lines of all addresses together, counts an IPv6 network as one, and keeps few addresses', () => {
    const budget = open();
    const lines = Array.from({ length: 100_000 }, (_, i) => budget.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`));
    expect(lines.filter(Boolean)).toHaveLength(200);
    budget.flush();
    expect(summaries[0]?.suppressedCount).toBe(99_800);
    expect(Object.keys(summaries[0]?.addresses ?? {})).toHaveLength(5);
    const network = Array.from({ length: 100 }, (_, i) => budget.take(`2001:db8::${i.toString(16)}`));
    expect(network.filter(Boolean)).toHaveLength(20);
  });
});
