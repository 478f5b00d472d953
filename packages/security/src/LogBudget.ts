/*
 * Limits the log lines that strangers can cause at will. Each window of 10 s allows a number of lines per address and
 * in total; further lines are counted, and one line at the end of the window reports the counts. Memory: the
 * addresses of one window, at most 10,000; lines of further addresses are only counted.
 */
import { toAddressKey } from '@millrace/kernel';

const WINDOW_MS = 10_000;
const MAX_PER_ADDRESS = 20;
const MAX_LINES = 200;
const MAX_ADDRESSES = 10_000;
const SHOWN_ADDRESSES = 5;

/** The lines suppressed in a window. */
export interface SuppressedLines {
  readonly suppressedCount: number;
  readonly withinMs: number;
  /** The addresses with the most lines, with their counts, logged or not. */
  readonly addresses: Readonly<Record<string, number>>;
}

/** Decides which lines are logged. */
export class LogBudget {
  private readonly seen = new Map<string, number>();
  private lineCount = 0;
  private suppressedCount = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param summarize receives the suppressed lines at the end of each window that suppressed some */
  constructor(private readonly summarize: (suppressed: SuppressedLines) => void) {}

  /** Whether a line about this address may be logged now. */
  take(remoteAddress: string): boolean {
    this.timer ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
    const address = toAddressKey(remoteAddress);
    const count = (this.seen.get(address) ?? 0) + 1;
    if (count > 1 || this.seen.size < MAX_ADDRESSES) this.seen.set(address, count);
    if (count <= MAX_PER_ADDRESS && this.lineCount < MAX_LINES) {
      this.lineCount++;
      return true;
    }
    this.suppressedCount++;
    return false;
  }

  /** Ends the window. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { suppressedCount } = this;
    const addresses = suppressedCount === 0 ? {} : this.busiest();
    this.seen.clear();
    this.lineCount = 0;
    this.suppressedCount = 0;
    if (suppressedCount > 0) this.summarize({ suppressedCount, withinMs: WINDOW_MS, addresses });
  }

  private busiest(): Readonly<Record<string, number>> {
    const sorted = [...this.seen].sort(([, a], [, b]) => b - a).slice(0, SHOWN_ADDRESSES);
    return Object.fromEntries(sorted);
  }
}
