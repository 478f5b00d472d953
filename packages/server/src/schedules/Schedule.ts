/*
 * One schedule on one node. Its state is a document shared by all nodes; a run is claimed by updating that document
 * on condition of its version, so one node wins. While it runs, the winner updates the document every few seconds; a
 * node that sees it unchanged for `LEASE_MS` on its monotonic clock considers the run interrupted and claims it
 * again. So the clocks of the nodes need to agree only on the time at which a run is due.
 */
import {
  documentErrors,
  MillraceError,
  type Clock,
  type JsonObject,
  type Logger,
  type PluginStore,
  type ScheduledFunction,
} from '@millrace/kernel';
import type { Timetable } from './Timetable.js';

const LEASE_MS = 15_000;
const RENEWAL_MS = 5_000;
/** Maximum wait between checks: timers have a limit, and the clock may be changed. */
const MAX_WAIT_MS = 60_000;
const RETRY_MS = 5_000;

interface State {
  readonly version: number;
  /** Start of the interval to the next run. */
  readonly lastMs: number;
  /** Due time of the run in progress; null if none is running. */
  readonly dueAtMs: number | null;
}

/** Runs one function on schedule, on this node or another. */
export class Schedule {
  private timer: NodeJS.Timeout | undefined;
  private readonly abort = new AbortController();
  private startedMs = 0;
  private looking: Promise<void> = Promise.resolve();
  /** Last observed version of another node's run, and since when it is unchanged. */
  private seen: { readonly version: number; readonly sinceMs: number } | undefined;

  constructor(
    /** Unique within the server: `my-plugin/cleanup`. */
    private readonly id: string,
    private readonly timetable: Timetable,
    private readonly run: ScheduledFunction,
    private readonly store: PluginStore,
    private readonly clock: Clock,
    private readonly log: Logger,
    /** How long a run may go without renewal; shorter in tests. */
    private readonly leaseMs = LEASE_MS,
  ) {}

  start(): void {
    this.startedMs = this.clock.nowMs();
    this.wait(0);
  }

  /** Starts no further run, and asks the run in progress to end. */
  end(): void {
    clearTimeout(this.timer);
    this.abort.abort();
  }

  /** Resolves once no run is in progress. */
  async stop(): Promise<void> {
    this.end();
    await this.looking;
  }

  private wait(ms: number): void {
    if (this.abort.signal.aborted) return;
    this.timer = setTimeout(
      () => {
        this.looking = this.look().then(
          (next) => this.wait(next),
          (error: unknown) => {
            this.report(error);
            this.wait(RETRY_MS);
          },
        );
      },
      Math.max(0, Math.min(ms, MAX_WAIT_MS)),
    ).unref();
  }

  /** @returns the wait until the next check, in ms */
  private async look(): Promise<number> {
    const { clock, timetable, leaseMs } = this;
    const state = await this.read();
    if (state.dueAtMs !== null && !this.isInterrupted(state)) return leaseMs / 3;
    const dueAtMs = state.dueAtMs ?? timetable.nextMs(state.lastMs, this.startedMs);
    const waitMs = dueAtMs - clock.nowMs();
    if (waitMs > 0) return waitMs;
    const version = await this.write({ lastMs: clock.nowMs(), dueAtMs }, state.version);
    if (version !== undefined) await this.runOnce(dueAtMs, version);
    return 0;
  }

  private async read(): Promise<State> {
    const found = await this.store.get(this.id);
    if (found !== null) {
      const { lastMs, dueAtMs } = found.content as unknown as State;
      return { version: found.version, lastMs, dueAtMs };
    }
    const first = { lastMs: this.clock.nowMs(), dueAtMs: null };
    const version = await this.write(first, 0);
    return version === undefined ? this.read() : { version, ...first };
  }

  private isInterrupted({ version }: State): boolean {
    const nowMs = this.clock.monotonicMs();
    if (this.seen?.version !== version) this.seen = { version, sinceMs: nowMs };
    return nowMs - this.seen.sinceMs >= this.leaseMs;
  }

  /** @returns the new version; undefined if another node wrote first */
  private async write(state: Omit<State, 'version'>, ifVersion: number): Promise<number | undefined> {
    try {
      const content = { ...state } as unknown as JsonObject;
      return (await this.store.put(this.id, content, { ifVersion })).version;
    } catch (error) {
      if (lostRace(error)) return undefined;
      throw error;
    }
  }

  private async runOnce(dueAtMs: number, claimed: number): Promise<void> {
    const { clock, run, leaseMs } = this;
    const lastMs = clock.nowMs();
    const lost = new AbortController();
    const claim = { version: claimed, renewedMs: clock.monotonicMs() };
    let renewing: Promise<void> = Promise.resolve();
    const renew = async (): Promise<void> => {
      const version = await this.write({ lastMs, dueAtMs }, claim.version).catch(() => null);
      if (typeof version === 'number') {
        claim.version = version;
        claim.renewedMs = clock.monotonicMs();
      } else if (version === undefined || clock.monotonicMs() - claim.renewedMs > leaseMs) {
        lost.abort();
      }
    };
    const timer = setInterval(
      () => {
        renewing = renewing.then(renew);
      },
      Math.min(RENEWAL_MS, leaseMs / 3),
    ).unref();
    try {
      await run({ dueAtMs, signal: AbortSignal.any([this.abort.signal, lost.signal]) });
    } catch (error) {
      this.report(error);
    } finally {
      clearInterval(timer);
      await renewing;
    }
    const countedMs = this.timetable.countedFromMs(lastMs, clock.nowMs());
    await this.write({ lastMs: countedMs, dueAtMs: null }, claim.version);
  }

  private report(error: unknown): void {
    this.log.error({ schedule: this.id, err: error }, 'schedule failed');
  }
}

function lostRace(error: unknown): boolean {
  if (!(error instanceof MillraceError)) return false;
  const { id } = error;
  return (
    id === documentErrors.version_conflict.id ||
    id === documentErrors.already_exists.id ||
    id === documentErrors.not_found.id
  );
}
