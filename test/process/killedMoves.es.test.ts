/* Moves on a real server that is killed, and with an Elasticsearch that is away. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@millrace/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasElasticsearch, NODE, removeIndexes } from '../storage/openElasticsearch.js';
import { UnreliableProxy } from '../storage/UnreliableProxy.js';
import { inTemporaryFolder, runMillrace, type MillraceProcess } from './runMillrace.js';

const HEADERS = { 'content-type': 'application/json' };
const WRITERS = 4;
const DOCUMENTS = 5_000;

/** A server of one data folder, which can be killed, with writers that go on. */
class KilledServer {
  readonly prefix = `test-${randomBytes(6).toString('hex')}`;
  /** By id, the highest number that was answered with success, and the highest that was sent. */
  readonly acknowledged = new Map<string, number>();
  readonly sent = new Map<string, number>();
  /** Answers of the server that are no success. */
  readonly refused: number[] = [];
  private process: MillraceProcess | undefined;
  private url = '';
  private isOver = false;
  private writers: Promise<unknown> = Promise.resolve();

  /** @param node address of Elasticsearch */
  constructor(
    private readonly folder: string,
    private readonly node: string,
  ) {}

  async start(): Promise<void> {
    const elasticsearch = '--storage.elasticsearch';
    const settings = { node: this.node, prefix: this.prefix, retryMs: '500' };
    const args = Object.entries(settings).flatMap(([key, value]) => [`${elasticsearch}.${key}`, value]);
    this.process = runMillrace(this.folder, ['--http.port', '0', ...args]);
    this.url = await this.process.listening;
  }

  async kill(): Promise<void> {
    this.process?.signal('SIGKILL');
    await this.process?.ended;
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.writers;
    this.process?.signal('SIGTERM');
    await this.process?.ended;
    await removeIndexes(this.prefix);
  }

  async ask(method: string, path: string, body?: JsonObject) {
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: HEADERS };
    const response = await fetch(`${this.url}${path}`, { method, ...sent });
    return { status: response.status, body: (await response.json()) as { result: JsonObject } };
  }

  async moveState() {
    const { body } = await this.ask('GET', '/_move');
    return body.result as {
      readonly engine: string;
      readonly state: string;
      readonly reason?: string;
    };
  }

  async beginMove(fields: JsonObject): Promise<void> {
    expect(await this.ask('POST', '/_move', fields)).toMatchObject({ status: 200 });
  }

  /** Resolves when the move has come this far. */
  async reaches(...states: readonly string[]): Promise<void> {
    for (;;) {
      const { state, reason } = await this.moveState();
      if (states.includes(state)) return;
      if (state === 'failed') throw new Error(reason);
      await sleep(5);
    }
  }

  async move(fields: JsonObject): Promise<void> {
    await this.beginMove(fields);
    await this.reaches('complete');
  }

  /** Writes without end, each writer to its documents. */
  write(): void {
    const run = async (writer: number) => {
      for (let n = 1; !this.isOver; n += 1) {
        const id = `w${writer}-${n % 7}`;
        this.sent.set(id, n);
        try {
          const { status } = await this.ask('PUT', `/shop/things/${id}`, { n });
          if (status === 200) this.acknowledged.set(id, n);
          else this.refused.push(status);
        } catch {
          // Killed.
          await sleep(20);
        }
      }
    };
    this.isOver = false;
    this.writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => run(writer)));
  }

  async endWriters(): Promise<void> {
    this.isOver = true;
    await this.writers;
  }

  /** Each document has at least what was acknowledged before. */
  async expectAcknowledged(): Promise<void> {
    expect(this.acknowledged.size).toBe(WRITERS * 7);
    for (const [id, n] of [...this.acknowledged]) {
      const { body } = await this.ask('GET', `/shop/things/${id}`);
      const found = (body.result['_source'] as { n: number }).n;
      expect(found, id).toBeGreaterThanOrEqual(n);
      expect(found, id).toBeLessThanOrEqual(this.sent.get(id) ?? 0);
    }
  }
}

describe.runIf(hasElasticsearch())('a server that moves', () => {
  const inServer = (test: (server: KilledServer) => Promise<void>, node = NODE) =>
    inTemporaryFolder(async (folder) => {
      const server = new KilledServer(folder, node);
      try {
        await server.start();
        await server.ask('PUT', '/shop');
        await server.ask('PUT', '/shop/things', { properties: { n: { type: 'integer' } } });
        await test(server);
      } finally {
        await server.end();
      }
    });

  it(
    'MOVE-2, MOVE-4, MOVE-5: loses no acknowledged write when it is killed in any phase',
    () =>
      inServer(async (server) => {
        const documents = Array.from({ length: DOCUMENTS }, (_, n) => ({
          _id: `d${n}`,
          body: { n },
        }));
        await server.ask('POST', '/shop/things/_mCreate', { documents });
        server.write();
        const to = { to: 'elasticsearch' };
        await expect.poll(() => server.acknowledged.size).toBe(WRITERS * 7);
        const killIn = async (...states: readonly string[]) => {
          await server.beginMove(to);
          await server.reaches(...states, 'complete');
          await server.kill();
          await server.start();
          await server.expectAcknowledged();
        };
        await killIn('copying');
        expect(await server.moveState()).toEqual({ engine: 'sqlite', state: 'none' });
        await killIn('comparing');
        expect(await server.moveState()).toEqual({ engine: 'sqlite', state: 'none' });
        await killIn('switching');
        const { engine } = await server.moveState();
        if (engine === 'sqlite') await server.move(to);
        for (let kills = 0; kills < 3; kills += 1) {
          await sleep(300 * Math.random());
          await server.kill();
          await server.start();
          expect(await server.moveState()).toEqual({ engine: 'elasticsearch', state: 'none' });
          await server.expectAcknowledged();
        }
        await server.endWriters();
        // Documents, versions and metadata are equal in both engines.
        await server.move({ to: 'sqlite', verifyOnly: true });
        await server.move({ to: 'sqlite' });
        await server.expectAcknowledged();
        expect(server.refused).toEqual([]);
      }),
    600_000,
  );

  describe('to an Elasticsearch that is away for a time', () => {
    let proxy: UnreliableProxy;
    beforeEach(async () => {
      proxy = new UnreliableProxy(new URL(NODE));
      await proxy.appear();
    });
    afterEach(() => proxy.vanish());

    it(
      'MOVE-5, MOVE-9: answers 503, goes on when it is back, and moves back',
      () =>
        inServer(async (server) => {
          await server.move({ to: 'elasticsearch' });
          server.write();
          for (let round = 0; round < 3; round += 1) {
            await expect.poll(() => server.acknowledged.size).toBe(WRITERS * 7);
            server.refused.length = 0;
            await proxy.vanish();
            await expect.poll(() => server.refused.length).toBeGreaterThan(WRITERS);
            expect(new Set(server.refused)).toEqual(new Set([503]));
            expect(await server.ask('GET', '/shop/things/w0-0')).toMatchObject({ status: 503 });
            await proxy.appear();
            server.acknowledged.clear();
          }
          await expect.poll(() => server.acknowledged.size).toBe(WRITERS * 7);
          await server.endWriters();
          await server.expectAcknowledged();
          await server.move({ to: 'sqlite', verifyOnly: true });
          await server.move({ to: 'sqlite' });
          await server.expectAcknowledged();
        }, proxy.url),
      600_000,
    );
  });
});
