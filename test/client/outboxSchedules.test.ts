import { describe, expect, it, vi } from 'vitest';
import { runOutboxSchedules } from './OutboxSchedules.js';

const SEED = Number(process.env['MILLRACE_CHAOS_SEED'] ?? 21);
const COUNT = Number(process.env['MILLRACE_CHAOS_SCHEDULES'] ?? 40);

describe('the outbox under faults', () => {
  it(`executes each write once and in order in ${COUNT} random schedules (seed ${SEED})`, async () => {
    // Attempts follow each other at once.
    vi.spyOn(Math, 'random').mockReturnValue(0.005);
    const counts = await runOutboxSchedules(COUNT, SEED);
    console.log(`${COUNT} schedules:`, counts);
    expect(counts.acknowledged).toBeGreaterThan(COUNT);
    const { lostRequests, lostAnswers, duplicates, kills, restarts } = counts;
    for (const count of [lostRequests, lostAnswers, duplicates, kills, restarts]) expect(count).toBeGreaterThan(0);
  });
});
