/*
 * Random schedules for the outbox: writes by one or two tabs of a client, while requests and answers are lost, requests
 * arrive twice or late, tabs are killed, and the server restarts. Afterwards each acknowledged write must have been executed
 * exactly once, and those of each document in their order.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@millrace/client';
import { offline } from '@millrace/client/offline';
import { definePlugin, silentLogger, type JsonObject } from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { sharedOutbox } from './sharedOutbox.js';

interface Station {
  readonly n?: number;
  readonly foreign?: number;
}

/** A write that the page has asked for. */
interface Issued {
  readonly mark: string;
  isAcknowledged: boolean;
}

/** How often something has happened in all schedules. */
export interface ScheduleCounts {
  acknowledged: number;
  executed: number;
  lostRequests: number;
  lostAnswers: number;
  duplicates: number;
  kills: number;
  restarts: number;
  conflicts: number;
}

const AT = { index: 'city', collection: 'stations' };
const LANES = 24;
const DELETION = 'deleted';
const LONGEST_MS = 60_000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Whole numbers below `n`, the same in each run. */
function chance(seed: number): (n: number) => number {
  let state = (seed * 2_654_435_761) % 2 ** 32;
  return (n) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** A server that restarts while schedules run, and which writes it has executed. */
class ObservedServer {
  /** Marks of the executed writes by document. */
  readonly executed = new Map<string, string[]>();
  #kernel: Kernel | undefined;
  #port = 0;
  readonly #plugin = definePlugin({
    name: 'observer',
    kernel: '*',
    setup: (host) => {
      host.hook('document.afterWrite', ({ id, before, after }) => this.#note(id, before, after));
    },
  });

  constructor(private readonly dataDir: string) {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const config = { http: { port: this.#port }, server: { dataDir: this.dataDir } };
    const plugins = [this.#plugin];
    this.#kernel = new Kernel({ config, plugins, logger: silentLogger });
    for (const { url } of await this.#kernel.start()) this.#port = Number(new URL(url).port);
  }

  async stop(): Promise<void> {
    const kernel = this.#kernel;
    this.#kernel = undefined;
    await kernel?.stop();
  }

  /** Another client. Between two servers there is none to write to. */
  async write(fields: JsonObject): Promise<void> {
    await this.#kernel?.execute({ controller: 'document', ...AT, ...fields }).catch(() => undefined);
  }

  #note(id: string, before: JsonObject | null, after: JsonObject | null): void {
    // A write of another client.
    if (after?.['foreign'] !== undefined && before?.['foreign'] !== after['foreign']) return;
    const marks = this.executed.get(id) ?? [];
    marks.push(after === null ? DELETION : JSON.stringify(after['n']));
    this.executed.set(id, marks);
  }
}

/** One schedule: its tabs, and what they were asked to write. */
class Schedule {
  readonly #below: (n: number) => number;
  readonly #share = sharedOutbox();
  readonly #issued = new Map<string, Issued[]>();
  readonly #absent = new Set<string>();
  readonly #late: Promise<unknown>[] = [];
  readonly #hasOthers: boolean;
  #tabs: ReturnType<Schedule['open']>[] = [];
  #isAway = false;
  #n = 0;

  constructor(
    private readonly seed: number,
    private readonly server: ObservedServer,
    private readonly counts: ScheduleCounts,
  ) {
    this.#below = chance(seed);
    this.#hasOthers = this.#below(4) === 0;
  }

  async run(): Promise<void> {
    this.#tabs = [this.open()];
    const steps = 8 + this.#below(12);
    for (let step = 0; step < steps; step++) await this.#step();
    this.#isAway = false;
    const endsAtMs = Date.now() + LONGEST_MS;
    const store = this.#share();
    let left = await store.load();
    for (; left.length > 0 && Date.now() < endsAtMs; left = await store.load()) await pause(5);
    await Promise.all(this.#late);
    for (const { client } of this.#tabs) client.outbox.close();
    const text = `seed ${this.seed}: ${JSON.stringify(left)}`;
    if (left.length > 0) throw new Error(`not sent in ${LONGEST_MS} ms, ${text}`);
    for (const [id, issued] of this.#issued) this.#check(id, issued);
  }

  async #step(): Promise<void> {
    const kind = this.#below(20);
    if (kind < 13) await this.#write();
    else if (kind < 15) this.#isAway = !this.#isAway;
    else if (kind < 17) this.#kill(this.#below(this.#tabs.length));
    else if (kind === 17 && this.#tabs.length < 2) this.#tabs.push(this.open());
    else await pause(this.#below(30));
    const id = [...this.#issued.keys()][this.#below(3)];
    if (this.#hasOthers && id !== undefined && this.#below(4) === 0)
      await this.server.write({ action: 'update', _id: id, body: { foreign: this.#below(1_000) } });
  }

  /** A tab, whose requests and answers get lost and are repeated. */
  open() {
    const tab = { isDead: false };
    const never = new Promise<never>(() => undefined);
    const store = this.#share();
    const alive = async <R>(work: () => Promise<R>): Promise<R> => {
      const done = tab.isDead ? never : await work();
      return tab.isDead ? never : done;
    };
    const client = createClient<{ city: { stations: Station } }>(this.server.url, {
      fetch: async (url, init) => {
        const fate = this.#below(30);
        if (tab.isDead) return never;
        if (this.#isAway || fate < 4) {
          this.counts.lostRequests++;
          throw new TypeError('cut before the server');
        }
        const send = () => fetch(url, { ...init, signal: null });
        if (fate < 8) {
          this.counts.duplicates++;
          const repeat = async () => (await send()).text();
          this.#late.push(
            pause(this.#below(60))
              .then(repeat)
              .catch(() => undefined),
          );
        }
        const response = await send();
        if (tab.isDead) return never;
        if (fate < 6 || (fate > 20 && fate < 25)) {
          await response.text();
          this.counts.lostAnswers++;
          throw new TypeError('cut before the answer');
        }
        return response;
      },
    }).with(
      offline({
        // A killed tab does nothing more to the store, and doesn't see what it has done.
        store: {
          ...store,
          add: (write) => alive(() => store.add(write)),
          change: (change) => alive(() => store.change(change)),
          // Its lock is released.
          exclusive: (work, signal) =>
            store.exclusive!(() => Promise.race([work(), new Promise<void>((resolve) => (kill = resolve))]), signal),
        },
        conflicts: { '*': 'client' },
        onConflict: () => this.counts.conflicts++,
      }),
    );
    let kill = () => undefined as void;
    return {
      client,
      stations: client.collection('city', 'stations').offline,
      kill: () => {
        tab.isDead = true;
        client.outbox.close();
        kill();
      },
    };
  }

  #kill(at: number): void {
    this.counts.kills++;
    this.#tabs[at]!.kill();
    this.#tabs[at] = this.open();
  }

  async #write(): Promise<void> {
    const { stations } = this.#tabs[this.#below(this.#tabs.length)]!;
    const ids = [...this.#issued.keys()];
    const n = ++this.#n;
    if (ids.length === 0 || (ids.length < 3 && this.#below(3) === 0)) {
      const options = this.#below(2) === 0 ? {} : { id: `s-${this.seed}-${ids.length}` };
      const id = await stations.create({ n }, options);
      this.#issued.set(id, [{ mark: String(n), isAcknowledged: true }]);
      return;
    }
    const id = ids[this.#below(ids.length)]!;
    const kind = this.#below(8);
    const issued: Issued = { mark: kind === 0 ? DELETION : String(n), isAcknowledged: true };
    if (this.#absent.has(id)) {
      issued.isAcknowledged = true;
      await stations.create({ n }, { id });
      this.#issued.get(id)!.push({ ...issued, mark: String(n) });
      this.#absent.delete(id);
      return;
    }
    this.#issued.get(id)!.push(issued);
    if (kind === 0) {
      this.#absent.add(id);
      return stations.delete(id);
    }
    const written = kind < 4 ? stations.replace(id, { n }) : stations.update(id, { n });
    if (this.#below(12) > 0) return written;
    // The tab is killed meanwhile: the write is acknowledged, or may not be executed.
    issued.isAcknowledged = false;
    void written.then(() => (issued.isAcknowledged = true));
    const at = this.#tabs.findIndex((tab) => tab.stations === stations);
    for (let turns = this.#below(25); turns > 0; turns--) await Promise.resolve();
    this.#kill(at);
    await pause(1);
  }

  /** @throws Error if an acknowledged write is missing, or one was executed twice or out of order */
  #check(id: string, issued: readonly Issued[]): void {
    const executed = this.server.executed.get(id) ?? [];
    let at = 0;
    for (const { mark, isAcknowledged } of issued) {
      if (executed[at] === mark) at++;
      else if (isAcknowledged) break;
    }
    const acknowledged = issued.filter((each) => each.isAcknowledged);
    this.counts.acknowledged += acknowledged.length;
    this.counts.executed += executed.length;
    const isComplete = acknowledged.every(({ mark }) => executed.includes(mark));
    if (at === executed.length && isComplete) return;
    const text = issued.map((each) => (each.isAcknowledged ? each.mark : `(${each.mark})`)).join();
    throw new Error(`seed ${this.seed}, ${id}: executed ${executed.join()} of ${text}`);
  }
}

/**
 * Runs schedules, several at a time, on one server, which restarts now and then.
 * @throws Error for a schedule with a write that is lost, executed twice or out of order
 */
export async function runOutboxSchedules(count: number, firstSeed: number): Promise<ScheduleCounts> {
  const counts = {
    acknowledged: 0,
    executed: 0,
    lostRequests: 0,
    lostAnswers: 0,
    duplicates: 0,
    kills: 0,
    restarts: 0,
    conflicts: 0,
  };
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-outbox-'));
  const server = new ObservedServer(dataDir);
  try {
    await server.start();
    await server.write({ action: 'create', _id: 'first', body: {} });
    let next = 0;
    const lane = async () => {
      while (next < count) await new Schedule(firstSeed + next++, server, counts).run();
    };
    let isOver = false;
    const restarts = (async () => {
      for (let after = 20; !isOver;) {
        if (next >= after) {
          await server.stop();
          await server.start();
          counts.restarts++;
          after = next + 20;
        }
        await pause(20);
      }
    })();
    const lanes = Array.from({ length: LANES }, lane);
    const outcomes = await Promise.allSettled(lanes);
    isOver = true;
    await restarts;
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return counts;
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
