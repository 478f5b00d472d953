/*
 * Copies of a collection through the client, while connections are cut, the network is away and the server restarts.
 * MILLRACE_CHAOS_SEED and MILLRACE_CHAOS_FAULTS choose another run.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@millrace/client';
import { realtime, type RealtimeEvent, type Subscription } from '@millrace/client/realtime';
import { silentLogger } from '@millrace/kernel';
import { websocket } from '@millrace/protocol-websocket';
import { Kernel } from '@millrace/server';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { UnreliableProxy } from '../storage/UnreliableProxy.js';

interface Station {
  readonly colour: string;
  readonly bikes: number;
}

interface Found {
  readonly hits: readonly { readonly _id: string; readonly _version: number }[];
}

const AT = { index: 'city', collection: 'stations' };
const FILTERS: readonly { readonly filter: object; readonly query: object }[] = [
  { filter: { equals: { colour: 'red' } }, query: { term: { colour: 'red' } } },
  { filter: { range: { bikes: { lt: 5 } } }, query: { range: { bikes: { lt: 5 } } } },
  { filter: {}, query: { match_all: {} } },
];
const SEED = Number(process.env['MILLRACE_CHAOS_SEED'] ?? 21);
const FAULTS = Number(process.env['MILLRACE_CHAOS_FAULTS'] ?? 30);
const DOCUMENTS = 60;

/** Numbers below 1, the same in each run. */
function* chance(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    yield state / 2 ** 32;
  }
}

/** A server that can be stopped and started again on the same ports and data. */
class RestartingServer {
  kernel: Kernel | undefined;
  private readonly ports: Record<string, number> = {};

  constructor(private readonly dataDir: string) {}

  async start(): Promise<void> {
    const { http = 0, websocket: port = 0 } = this.ports;
    const config = { http: { port: http }, server: { dataDir: this.dataDir } };
    const plugins = [websocket({ port, heartbeatMs: 500 })];
    this.kernel = new Kernel({ config, plugins, logger: silentLogger });
    for (const { protocol, url } of await this.kernel.start()) this.ports[protocol] = Number(new URL(url).port);
  }

  async stop(): Promise<void> {
    const { kernel } = this;
    this.kernel = undefined;
    await kernel?.stop();
  }

  url(protocol: string): string {
    return `http://127.0.0.1:${this.ports[protocol]}`;
  }
}

/** A copy of the documents that match, kept as the guides say. */
class Mirror {
  readonly versions = new Map<string, number>();
  readonly count = { events: 0, replayed: 0, gaps: 0, disordered: 0 };
  private cursor = '';

  constructor(private readonly search: () => Promise<ReadonlyMap<string, number>>) {}

  async follow(subscription: Subscription<Station>): Promise<void> {
    await subscription.ready;
    await this.read();
    for await (const event of subscription) await this.apply(event);
  }

  private async read(): Promise<void> {
    const found = await this.search();
    this.versions.clear();
    for (const [id, version] of found) this.versions.set(id, version);
  }

  private async apply(event: RealtimeEvent<Station>): Promise<void> {
    const { count } = this;
    if (event.kind === 'gap') {
      count.gaps++;
      return this.read();
    }
    if (event.kind !== 'changed' && event.kind !== 'left') return;
    count.events++;
    if (event.replayed) count.replayed++;
    // Each comes once and in order.
    if (event.cursor !== undefined) {
      if (event.cursor <= this.cursor) count.disordered++;
      this.cursor = event.cursor;
    }
    if (event.kind === 'changed') this.versions.set(event.id, event.version);
    else this.versions.delete(event.id);
  }
}

describe('the client under faults', () => {
  const ends: (() => unknown)[] = [];
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  it(`copies equal a fresh search after ${FAULTS} faults (seed ${SEED})`, async () => {
    // Attempts to connect at once: the pauses grow to 20 s while faults follow each other within seconds.
    vi.spyOn(Math, 'random').mockReturnValue(0.005);
    ends.push(() => vi.restoreAllMocks());
    const random = chance(SEED);
    const below = (n: number) => Math.floor(random.next().value * n);
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-chaos-'));
    ends.push(() => rm(dataDir, { recursive: true, force: true }));
    const server = new RestartingServer(dataDir);
    await server.start();
    ends.push(() => server.stop());
    const proxy = new UnreliableProxy(new URL(server.url('websocket')));
    await proxy.appear();
    ends.push(() => proxy.vanish());

    let isOver = false;
    let written = 0;
    const write = async () => {
      while (!isOver) {
        const { kernel } = server;
        const _id = `s-${below(DOCUMENTS)}`;
        const body = { colour: below(2) === 0 ? 'red' : 'blue', bikes: below(10) };
        const kind = below(10);
        const documents = Array.from({ length: 5 }, () => ({ _id: `s-${below(DOCUMENTS)}`, body }));
        let fields: object = { action: 'createOrReplace', _id, body };
        if (kind < 2) fields = { action: 'delete', _id };
        else if (kind < 4) fields = { action: 'mCreateOrReplace', body: { documents } };
        else if (kind === 4 && below(100) === 0) fields = { controller: 'collection', action: 'truncate' };
        // Between two servers, and while one stops, there is none to write to.
        await kernel?.execute({ controller: 'document', ...AT, ...fields }).catch(() => undefined);
        written++;
        await pause(below(4));
      }
    };

    const errors: unknown[] = [];
    const mirrors = FILTERS.map(({ filter, query }) => {
      const client = createClient<{ city: { stations: Station } }>(server.url('http')).with(
        realtime({ url: proxy.url.replace('http', 'ws'), WebSocket }),
      );
      ends.push(() => client.connection.close());
      const search = async () => {
        for (; ; await pause(20)) {
          const { kernel } = server;
          await kernel?.execute({ controller: 'index', action: 'refresh', index: AT.index });
          const body = { query, size: DOCUMENTS + 1, version: true };
          const asked = { controller: 'document', action: 'search', ...AT, body };
          const found = await kernel?.execute(asked);
          // Between two servers there is none to ask.
          if (found?.status !== 200) continue;
          const { hits } = found.result as unknown as Found;
          return new Map(hits.map(({ _id, _version }) => [_id, _version]));
        }
      };
      const mirror = new Mirror(search);
      const subscription = client.collection('city', 'stations').subscribe(filter);
      mirror.follow(subscription).catch((error: unknown) => errors.push(error));
      return { mirror, search, subscription };
    });
    await Promise.all(mirrors.map(({ subscription }) => subscription.ready));

    const writers = [write(), write()];
    for (let fault = 0; fault < FAULTS; fault++) {
      await pause(below(150));
      const kind = below(10);
      if (kind < 6) proxy.cut();
      else if (kind < 9) {
        await proxy.vanish();
        await pause(below(300));
        await proxy.appear();
      } else {
        await server.stop();
        await server.start();
      }
      // Some faults come one after the other, others one by one.
      if (below(3) === 0) continue;
      const isLive = () => mirrors.every(({ subscription }) => subscription.status === 'live');
      await expect.poll(isLive).toBe(true);
    }
    isOver = true;
    await Promise.all(writers);
    const marker = { colour: 'red', bikes: 0 };
    const made = await server.kernel?.execute({
      controller: 'document',
      action: 'create',
      ...AT,
      _id: 'last',
      body: marker,
    });
    expect(made?.status).toBe(200);
    for (const { mirror } of mirrors)
      await expect.poll(() => mirror.versions.has('last'), { timeout: 60_000 }).toBe(true);
    console.log(
      `${written} writes, ${FAULTS} faults:`,
      mirrors.map(({ mirror }) => mirror.count),
    );
    expect(errors).toEqual([]);
    for (const { mirror, search } of mirrors) {
      const sorted = (map: ReadonlyMap<string, number>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
      expect(sorted(mirror.versions)).toEqual(sorted(await search()));
      expect(mirror.count.disordered).toBe(0);
      expect(mirror.count.replayed).toBeGreaterThan(0);
    }
  }, 300_000);
});
