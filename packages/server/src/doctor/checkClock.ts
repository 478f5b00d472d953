import { ok, warning, type Finding } from './Finding.js';

/** Cursors, tokens and schedules of several machines are compared. */
const MAX_DIFFERENCE_MS = 2_000;

/** @param other time of another machine @param tookMs duration of the question, which blurs the answer */
export function checkClock(id: string, name: string, other: number, tookMs: number): Finding {
  const differenceMs = Math.abs(Date.now() - tookMs / 2 - other);
  const saw = `the clocks of this machine and of ${name} differ by ${Math.round(differenceMs)} ms`;
  if (differenceMs <= MAX_DIFFERENCE_MS + tookMs) return ok(id, saw);
  return warning(id, saw, 'Synchronise both: timedatectl set-ntp true');
}
