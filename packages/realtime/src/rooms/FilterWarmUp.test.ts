import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const steps = vi.hoisted(() => ({ made: 0, taken: 0 }));
vi.mock('@millrace/filters', () => ({
  *warmUp() {
    steps.made++;
    for (let i = 0; i < 3; i++) {
      steps.taken++;
      yield;
    }
  },
}));

describe('the warm-up of filters', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.resetModules();
    Object.assign(steps, { made: 0, taken: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const load = async () => (await import('./FilterWarmUp.js')).FilterWarmUp;

  it('runs in steps after the start, once per process', async () => {
    const FilterWarmUp = await load();
    await new FilterWarmUp().start();
    await new FilterWarmUp().start();
    expect(steps.taken).toBe(0);
    vi.runAllTimers();
    expect(steps).toEqual({ made: 1, taken: 3 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends with its server', async () => {
    const FilterWarmUp = await load();
    const warmUp = new FilterWarmUp();
    await warmUp.start();
    vi.advanceTimersToNextTimer();
    expect(steps.taken).toBe(1);
    await warmUp.stop();
    vi.runAllTimers();
    expect(steps.taken).toBe(1);
  });
});
