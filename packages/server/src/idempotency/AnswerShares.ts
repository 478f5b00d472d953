import { ByteAccount, ByteBudget, type Clock } from '@millrace/kernel';

const HOUR_MS = 3_600_000;

/** Counts the bytes of kept answers by holder. Bytes are returned one hour after their answers have expired. */
export class AnswerShares {
  private readonly budget: ByteBudget;
  /** Bytes by holder, by the hour they were taken in, oldest first. */
  private readonly byHour = new Map<number, Map<string, ByteAccount>>();

  constructor(
    private readonly clock: Clock,
    maxBytes: number,
    private readonly lifeMs: number,
  ) {
    this.budget = new ByteBudget(maxBytes);
  }

  /** Number of counts in memory. */
  get entryCount(): number {
    return [...this.byHour.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** @returns false if the share of the holder is used up; nothing is taken then */
  take(holder: string, bytes: number): boolean {
    this.expire();
    if (!this.budget.fits(holder, bytes)) return false;
    this.add(holder, bytes);
    return true;
  }

  /**
   * Counts bytes without a check, of answers that exist already; returns them if negative. Bytes taken in an earlier hour
   * are returned with that hour.
   */
  add(holder: string, bytes: number): void {
    const hour = Math.floor(this.clock.nowMs() / HOUR_MS);
    const taken = this.byHour.get(hour) ?? new Map<string, ByteAccount>();
    this.byHour.set(hour, taken);
    const account = taken.get(holder) ?? new ByteAccount(this.budget, holder);
    account.set(account.heldBytes + bytes);
    // Holders without bytes take no memory: the requests of any address come and go.
    if (account.heldBytes > 0) taken.set(holder, account);
    else taken.delete(holder);
  }

  private expire(): void {
    const oldest = Math.floor((this.clock.nowMs() - this.lifeMs) / HOUR_MS);
    for (const [hour, taken] of this.byHour) {
      if (hour >= oldest) return;
      this.byHour.delete(hour);
      for (const account of taken.values()) account.close();
    }
  }
}
