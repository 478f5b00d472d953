/*
 * Searches of followed searches that run again, a few at a time and in fair order. A user behind an address runs one at
 * a time, so that another one finds a free place, and pauses once they have taken more than their share of the time: a
 * change that concerns thousands of searches of one user delays the results of that user alone.
 */
import { CLOCK, FairQueue, toAddressKey, type Clock, type Connection } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

/** Searches at a time. */
const MAX_RUNNING = 2;
/** Part of the time that the searches of one user may take in the long run. */
const TIME_SHARE = 0.5;
/** What they may take in addition without a pause, in milliseconds. */
const BURST_MS = 500;

/** The follower that a search runs for. */
export interface Rerunner {
  readonly connection: Connection;
  readonly userId: string;
}

interface Rerun {
  readonly follower: Rerunner;
  readonly begin: () => Promise<void>;
}

/** A user behind an address. */
interface Client {
  readonly key: string;
  /** By connection. */
  readonly waiting: FairQueue<Rerun>;
  /** One of the searches is running, or next to run. */
  isBusy: boolean;
  /** Time taken beyond the share, as of `atMs`. */
  debtMs: number;
  atMs: number;
  timer: NodeJS.Timeout | undefined;
}

@scoped(Scope.ContainerScoped)
export class RerunQueue {
  private readonly clients = new Map<string, Client>();
  /** At most one of each client. */
  private readonly next = new FairQueue<Rerun>();
  private runningCount = 0;

  constructor(@inject(CLOCK) private readonly clock: Clock) {}

  /**
   * Runs a search in its turn, as that of the follower with the shortest wait: one with many searches doesn't delay a
   * search that others follow too.
   * @param followers at least one
   */
  async run(followers: Iterable<Rerunner>, search: () => Promise<void>): Promise<void> {
    const follower = this.firstOf(followers);
    return new Promise((resolve, reject) => {
      const begin = () => search().then(resolve, reject);
      const client = this.clientOf(follower);
      client.waiting.push(['', '', follower.connection.id], { follower, begin });
      if (!client.isBusy) this.go(client);
    });
  }

  private firstOf(followers: Iterable<Rerunner>): Rerunner {
    let first: Rerunner | undefined;
    let least = Infinity;
    for (const follower of followers) {
      const client = this.clients.get(keyOf(follower));
      if (client === undefined) return follower;
      const { waiting, isBusy, debtMs } = client;
      const ahead = waiting.size + (isBusy ? 1 : 0) + (debtMs > BURST_MS ? 1 : 0);
      if (ahead < least) [first, least] = [follower, ahead];
    }
    if (first === undefined) throw new Error('a search that runs again needs a follower');
    return first;
  }

  private clientOf(follower: Rerunner): Client {
    const key = keyOf(follower);
    const known = this.clients.get(key);
    if (known !== undefined) return known;
    const atMs = this.clock.monotonicMs();
    const waiting = new FairQueue<Rerun>();
    const client = { key, waiting, isBusy: false, debtMs: 0, atMs, timer: undefined };
    this.clients.set(key, client);
    return client;
  }

  /** Queues the next search of a client, at once or after a pause. */
  private go(client: Client): void {
    clearTimeout(client.timer);
    const nowMs = this.clock.monotonicMs();
    client.debtMs = Math.max(0, client.debtMs - (nowMs - client.atMs) * TIME_SHARE);
    client.atMs = nowMs;
    const excessMs = client.waiting.size > 0 ? client.debtMs - BURST_MS : client.debtMs;
    if (excessMs > 0) {
      client.timer = setTimeout(() => this.go(client), Math.ceil(excessMs / TIME_SHARE)).unref();
      return;
    }
    const rerun = client.waiting.take();
    if (rerun === undefined) {
      this.clients.delete(client.key);
      return;
    }
    const { connection, userId } = rerun.follower;
    client.isBusy = true;
    this.next.push([toAddressKey(connection.remoteAddress), userId, connection.id], rerun);
    this.begin();
  }

  private begin(): void {
    if (this.runningCount >= MAX_RUNNING) return;
    const rerun = this.next.take();
    if (rerun === undefined) return;
    this.runningCount += 1;
    void this.perform(rerun);
  }

  private async perform({ follower, begin }: Rerun): Promise<void> {
    const startMs = this.clock.monotonicMs();
    await begin();
    this.runningCount -= 1;
    const client = this.clientOf(follower);
    client.isBusy = false;
    client.debtMs += this.clock.monotonicMs() - startMs;
    this.go(client);
    this.begin();
  }
}

function keyOf({ connection, userId }: Rerunner): string {
  return `${toAddressKey(connection.remoteAddress)}\n${userId}`;
}
