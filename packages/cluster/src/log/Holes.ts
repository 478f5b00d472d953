/*
 * The writes of this node that are not recorded: those that began before their collection was recorded, those that are
 * made while Redis is unavailable, and those that the storage didn't answer.
 */
import { LOST } from './logMessages.js';
import { isOutage, isUnanswered } from './isOutage.js';

const WRITTEN_WITHOUT_LOG = 'documents were written while the change log was unavailable';
const UNANSWERED = 'the storage did not answer a write';

interface Unanswered {
  readonly keys: readonly string[];
  readonly end: () => void;
}

/** Tracks writes without a record, and reports those to recorded collections in the stream. */
export class Holes {
  private readonly unrecorded = new Set<Promise<unknown>>();
  /** By collection, the number of the last message that reports it. */
  private readonly reported = new Map<string, number>();
  private unanswered: Unanswered[] = [];
  private openCount = 0;
  private lastNumber = 0;

  constructor(
    /** @returns the number of the message */
    private readonly send: (topic: string, key: string, body: string) => number,
    /** To be awaited before a write while Redis is unavailable. */
    private readonly markUnrecorded: () => Promise<void>,
    /** See `storageSettled`. */
    private readonly settled: () => Promise<void>,
  ) {}

  /** Whether this node has written to a collection while Redis was unavailable, and its report is not back. */
  isIn(key: string): boolean {
    return this.reported.has(key);
  }

  /** Whether all writes that were made while Redis was unavailable were followed by a message with this number. */
  areBefore(number: number): boolean {
    return this.openCount === 0 && number > this.lastNumber;
  }

  /** The reports of this node up to a number are back, or lost. @param key empty: of all collections */
  areBack(key: string, upTo: number): void {
    for (const [each, number] of this.reported) {
      if ((key === '' || key === each) && number <= upTo) this.reported.delete(each);
    }
  }

  /** Resolves when the writes that began without a record have ended. */
  async unrecordedEnded(): Promise<void> {
    await Promise.allSettled([...this.unrecorded]);
  }

  /** Makes a write without a record. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.unrecorded.add(work);
    try {
      return await work;
    } finally {
      this.unrecorded.delete(work);
    }
  }

  /**
   * Makes a write while Redis is unavailable. A report before the write and one after it enclose the hole, because other
   * nodes may record changes in between. @param keys of the recorded collections
   */
  async write<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    this.openCount++;
    this.report(keys, WRITTEN_WITHOUT_LOG);
    let mayBeLate = false;
    try {
      await this.markUnrecorded();
      const result = await this.track(work()).catch((error: unknown) => {
        mayBeLate = isOutage(error);
        throw error;
      });
      mayBeLate = isUnanswered(result);
      return result;
    } finally {
      this.report(keys, WRITTEN_WITHOUT_LOG);
      if (mayBeLate) this.reportLater(keys, () => this.openCount--);
      else this.openCount--;
    }
  }

  /**
   * Reports a write that the storage didn't answer, when it can't make it any more: one report for all such writes to a
   * collection, since a slow storage fails to answer many.
   * @param keys of the recorded collections
   */
  reportLater(keys: readonly string[], end: () => void): void {
    if (this.unanswered.push({ keys, end }) === 1) void this.settle();
  }

  private async settle(): Promise<void> {
    while (this.unanswered.length > 0) {
      const { length } = this.unanswered;
      await this.settled();
      const ended = this.unanswered.slice(0, length);
      // What came meanwhile waits for the next time.
      this.unanswered = this.unanswered.slice(length);
      this.report(new Set(ended.flatMap(({ keys }) => keys)), UNANSWERED);
      for (const { end } of ended) end();
    }
  }

  private report(keys: Iterable<string>, why: string): void {
    for (const key of keys) {
      this.lastNumber = this.send(LOST, key, why);
      this.reported.set(key, this.lastNumber);
    }
  }
}
