import { describe, expect, it, vi } from 'vitest';
import { runOutboxSchedules } from '../client/OutboxSchedules.js';

const SEED = Number(process.env['MILLRACE_CHAOS_SEED'] ?? 1_000);
const COUNT = 1_000;
const LONG_MS = 600_000;

describe('the outbox under many faults', () => {
  it(
    `executes each write once and in order in ${COUNT} random schedules (seed ${SEED})`,
    async () => {
      // Attempts follow each other at once.
      vi.spyOn(Math, 'random').mockReturnValue(0.005);
      const counts = await runOutboxSchedules(COUNT, SEED);
      console.log(`${COUNT} schedules:`, counts);
      for (const count of Object.values(counts)) expect(count).toBeGreaterThan(COUNT / 100);
    },
    LONG_MS,
  );
});
