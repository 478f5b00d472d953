/*
 * Two servers whose data differ only in what a user may not see notify that user alike: subscriptions by filter and by
 * query over WebSocket, resumes, polls over HTTP, followed searches. MILLRACE_TEST_STEPS sets the number of steps.
 */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Chance } from '../differential/Chance.js';
import { randomQuery } from '../differential/randomQuery.js';
import { randomSearch } from '../differential/randomSearch.js';
import { randomValue } from '../differential/randomValue.js';
import { RequestContext } from '../differential/RequestContext.js';
import type { Account } from '../security/securedServer.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';
import { documentId, withHostileNames } from './hostileNames.js';
import {
  comparable,
  comparableUnscored,
  createCollection,
  isByNumber,
  openWorlds,
  putBoth,
  putHidden,
  randomPart,
  selectsByScore,
  worldEngines,
  type Collection,
  type World,
} from './worlds.js';

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? 11);
const STEPS = Number(process.env['MILLRACE_TEST_STEPS'] ?? 150);
const STEPS_PER_COLLECTION = 75;
const MAX_SUBSCRIPTIONS = 12;
const IDS = 12;
const WAIT = { timeout: 30_000, interval: 10 };

/** The notifications of one channel, by world. */
interface Subscribed {
  readonly channel: string;
  readonly received: readonly (readonly Record<string, unknown>[])[];
  /** The number compared. */
  done: number;
}

/** One collection and its subscriber in both worlds. */
class Round {
  private readonly subscribed: Subscribed[] = [];
  private readonly follows: (() => string)[][] = [];
  private readonly cursors: string[] = [];
  private readonly written = new Map<string, JsonObject>();
  private marker = 0;
  readonly statuses: number[] = [];

  constructor(
    private readonly worlds: readonly World[],
    private readonly collection: Collection,
    private readonly clients: readonly MessageClient[],
    private readonly chance: Chance,
    /** Hidden changes have an effect on the versions of followed hits, whenever these are read. */
    private readonly follow: boolean,
    private readonly hasScores: boolean,
  ) {}

  async begin(): Promise<void> {
    await this.subscribe({ body: { exists: 'marker' }, scope: 'all' });
    await this.poll({});
  }

  async step(): Promise<void> {
    const { chance } = this;
    const kind = chance.below(20);
    if (kind < 11) return this.write();
    if (kind < 14 && this.subscribed.length < MAX_SUBSCRIPTIONS) return this.subscribe(this.test());
    if (kind < 16 && this.follow) return this.startFollow();
    if (kind < 17) return this.poll(this.test());
    return this.read();
  }

  get followCount(): number {
    return this.follows.length;
  }

  /** Followed searches come to the same result. */
  async end(): Promise<void> {
    for (const checks of this.follows) {
      await vi.waitFor(() => expect(checks[1]?.()).toBe(checks[0]?.()), WAIT);
    }
    for (const client of this.clients) client.close();
  }

  private test(): JsonObject {
    const { chance, collection } = this;
    const context = new RequestContext(chance, collection.random, 3);
    if (chance.percent(50)) return { query: randomQuery(context, chance.below(3)) };
    return { body: this.filter(chance.below(2)) };
  }

  private filter(depth: number): JsonObject {
    const { chance, collection } = this;
    if (chance.percent(10)) return {};
    if (depth > 0) {
      const inner = () => this.filter(depth - 1);
      const list = [inner(), inner()].filter((each) => Object.keys(each).length > 0);
      if (list.length > 0) {
        return chance.percent(30) ? { not: list[0] as JsonObject } : { [chance.of(['and', 'or'])]: list };
      }
    }
    const field = chance.of(collection.random.fields);
    const name = chance.percent(20) ? (field.name.split('.')[0] ?? '') : field.name;
    const value = randomValue(field, chance);
    const isScalar = typeof value !== 'object';
    if (!isScalar || chance.percent(40)) return { [chance.of(['exists', 'missing'])]: name };
    if (typeof value === 'number') return { range: { [name]: { gte: value } } };
    return { equals: { [name]: value } };
  }

  /** A request in both worlds over WebSocket. */
  private async ask(fields: JsonObject): Promise<readonly JsonObject[]> {
    const { name, accounts } = this.collection;
    const answers = await Promise.all(
      this.clients.map((client, at) => {
        const { jwt } = accounts[at] as Account;
        return client.request({ index: 'worlds', collection: name, jwt, ...fields });
      }),
    );
    this.compare(answers.map((each) => JSON.stringify(each)), fields);
    return answers.map(({ result }) => result as JsonObject);
  } // prettier-ignore

  private compare(texts: readonly string[], of: JsonObject): void {
    const [left, right] = texts.map(this.hasScores ? comparable : comparableUnscored);
    expect(right, `seed ${SEED}: ${JSON.stringify(of)}`).toEqual(left);
    const { status } = left as { readonly status?: number };
    if (status !== undefined) this.statuses.push(status);
  }

  private async subscribe(test: JsonObject): Promise<void> {
    if (isByNumber(test)) return;
    const scope = this.chance.of(['all', 'all', 'in', 'out']);
    const asked = { controller: 'realtime', action: 'subscribe', scope, ...test };
    const [answer] = await this.ask(asked);
    if (answer === undefined || answer === null) return;
    const channel = answer.channel as string;
    if (this.subscribed.some((each) => each.channel === channel)) return;
    const received = await Promise.all(this.clients.map((client) => client.receive(channel)));
    this.subscribed.push({ channel, received, done: 0 });
  }

  private async startFollow(): Promise<void> {
    const asked = withHostileNames(randomSearch(this.collection.random, this.chance), this.chance);
    if (isByNumber(asked) || (!this.hasScores && selectsByScore(asked))) return;
    const body = this.hasScores ? asked : { sort: [{ _id: 'asc' }], ...asked };
    const answers = await this.ask({ controller: 'realtime', action: 'follow', body });
    if (answers[0] === null) return;
    this.follows.push(
      await Promise.all(
        answers.map(async ({ channel, check, total }, at) => {
          const received = await (this.clients[at] as MessageClient).receive(channel as string);
          return () => {
            const deltas = received.map(({ result }) => result as JsonObject);
            const totals = deltas.flatMap((delta) => delta.total ?? []);
            return JSON.stringify([deltas.at(-1)?.check ?? check, totals.at(-1) ?? total]);
          };
        }),
      ),
    );
  }

  /** What has changed since the last poll. */
  private async poll(test: JsonObject): Promise<void> {
    if (isByNumber(test)) return;
    const { path, accounts } = this.collection;
    const { body = {}, query } = test;
    const answers = await Promise.all(
      this.worlds.map(({ server }, at) => {
        const cursor = this.cursors[at];
        const found = new URLSearchParams({
          ...(cursor !== undefined && { cursor }),
          ...(query !== undefined && { query: JSON.stringify(query) }),
        });
        const { jwt } = accounts[at] as Account;
        const sent = query === undefined ? { body } : {};
        return server.http('POST', `${path}/_changes?${found.toString()}`, { jwt, ...sent });
      }),
    );
    this.compare(
      answers.map(({ text }) => text),
      test,
    );
    if (answers[0]?.status !== 200) return;
    answers.forEach(({ result }, at) => (this.cursors[at] = result.cursor as string));
  }

  private async read(): Promise<void> {
    const { chance, collection } = this;
    const { path, accounts } = collection;
    const at = chance.below(IDS);
    const id = chance.percent(50) ? documentId(at) : `hidden${at}`;
    const answers = await Promise.all(
      this.worlds.map(({ server }, at) => server.http('GET', `${path}/${id}`, { jwt: (accounts[at] as Account).jwt })),
    );
    this.compare(
      answers.map(({ text }) => text),
      { id },
    );
  }

  private async write(): Promise<void> {
    const { chance, worlds, collection, written } = this;
    const id = documentId(chance.below(IDS));
    const former = written.get(id);
    const kind = chance.below(10);
    if (kind < 4) {
      const owner = chance.percent(75) ? 'me' : 'x';
      await this.put(id, { ...randomPart(collection, chance, false), owner });
    } else if (kind < 6 && former !== undefined && !this.follow) {
      await this.put(id, former);
    } else if (kind < 7 && former !== undefined) {
      for (const { server } of worlds) await server.http('DELETE', `${collection.path}/${id}`);
      written.delete(id);
    } else {
      const world = worlds[chance.below(worlds.length)] as World;
      await putHidden(world, collection, chance, `hidden${chance.below(IDS)}`);
    }
    await this.settle();
  }

  private async put(id: string, seen: JsonObject): Promise<void> {
    this.written.set(id, seen);
    await putBoth(this.worlds, this.collection, this.chance, [id, seen]);
  }

  /** Waits until the notifications of what was written have come, and compares them. */
  private async settle(): Promise<void> {
    const marker = ++this.marker;
    const { path } = this.collection;
    for (const { server } of this.worlds) {
      await server.result('POST', `${path}/_publish`, { body: { marker } });
    }
    const [markers] = this.subscribed;
    for (const received of markers?.received ?? []) {
      const isLast = () => JSON.stringify(received.at(-1) ?? '').includes(`"marker":${marker}}`);
      await vi.waitFor(() => expect(isLast()).toBe(true), WAIT);
    }
    for (const each of this.subscribed) {
      const [left, right] = each.received.map((list) => JSON.stringify(list.slice(each.done)));
      this.compare([left ?? '', right ?? ''], { step: this.statuses.length });
      each.done = each.received[0]?.length ?? 0;
      expect(left).not.toContain('hidden');
    }
  }
}

describe.each(worldEngines('live'))('two worlds on $engine', ({ configs, hasScores }) => {
  let worlds: readonly World[] = [];
  afterAll(async () => {
    for (const { server } of worlds) {
      await server.http('DELETE', '/worlds');
      await server.close();
    }
  });

  it('SEC-86: notify a limited user alike', { timeout: 3_600_000 }, async () => {
    worlds = await openWorlds(configs);
    const chance = new Chance(SEED);
    const statuses = new Map<number, number>();
    let followed = 0;
    for (let steps = 0, number = 1; steps < STEPS; number += 1) {
      const collection = await createCollection(worlds, number, chance);
      const clients = await Promise.all(worlds.map(({ url }) => connectWebsocket(url)));
      const follow = number % 2 === 0;
      const round = new Round(worlds, collection, clients, chance, follow, hasScores);
      await round.begin();
      for (let at = 0; at < STEPS_PER_COLLECTION; at += 1, steps += 1) await round.step();
      await round.end();
      followed += round.followCount;
      for (const status of round.statuses) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      for (const { server } of worlds) await server.http('DELETE', collection.path);
    }
    console.log(
      `seed ${SEED}: ${STEPS} steps, ${followed} followed searches, answers ${JSON.stringify([...statuses])}`,
    );
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 403, 404]));
  });
});
