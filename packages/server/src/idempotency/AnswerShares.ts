import type { Clock } from '@millrace/kernel';

const HOUR_MS = 3_600_000;
/** A holder may take twice the free amount (as of `ByteBudget`): one alone gets two thirds. */
const SHARE_OF_FREE = 2;

/** Counts the bytes of kept answers by holder. Bytes are returned one hour after their answers have expired. */
export class AnswerShares {
  private total = 0;
  private readonly byHolder = new Map<string, number>();
  /** Bytes by holder, by the hour they were taken in, oldest first. */
  private readonly byHour = new Map<number, Map<string, number>>();

  constructor(
    private readonly clock: Clock,
    private readonly maxBytes: number,
    private readonly lifeMs: number,
  ) {}

  /** Number of counts in memory. */
  get entryCount(): number {
    return [...this.byHour.values()].reduce((sum, { size }) => sum + size, this.byHolder.size);
  }

  /** @returns false if the share of the holder is used up; nothing is taken then */
  take(holder: string, bytes: number): boolean {
    this.expire();
    const free = this.maxBytes - this.total - bytes;
    const held = this.byHolder.get(holder) ?? 0;
    if (free < 0 || held + bytes > SHARE_OF_FREE * free) return false;
    this.add(holder, bytes);
    return true;
  }

  /** Counts bytes without a check, of answers that exist already; returns them if negative. */
  add(holder: string, bytes: number): void {
    const hour = Math.floor(this.clock.nowMs() / HOUR_MS);
    const taken = this.byHour.get(hour) ?? new Map<string, number>();
    this.byHour.set(hour, taken);
    change(taken, holder, bytes);
    this.change(holder, bytes);
  }

  private expire(): void {
    const oldest = Math.floor((this.clock.nowMs() - this.lifeMs) / HOUR_MS);
    for (const [hour, taken] of this.byHour) {
      if (hour >= oldest) return;
      this.byHour.delete(hour);
      for (const [holder, bytes] of taken) this.change(holder, -bytes);
    }
  }

  private change(holder: string, bytes: number): void {
    this.total += bytes;
    change(this.byHolder, holder, bytes);
  }
}

/** Holders without bytes take no memory: the requests of any address come and go. */
function change(counts: Map<string, number>, holder: string, bytes: number): void {
  const held = (counts.get(holder) ?? 0) + bytes;
  if (held !== 0) counts.set(holder, held);
  else counts.delete(holder);
}
