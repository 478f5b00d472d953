import { afterAll, vi } from 'vitest';

// Files of one worker share the process: a test that failed before it restored the clock must not fail the next file.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
