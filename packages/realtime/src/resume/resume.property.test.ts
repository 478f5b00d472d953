import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { MemoryChangeLog } from './MemoryChangeLog.test.support.js';
import { openTestRealtime, type Received, type TestClient } from './openTestRealtime.test.support.js';

const RED = { equals: { colour: 'red' } };
const IDS = ['a', 'b', 'c', 'd'];

type Step =
  | { readonly kind: 'write'; readonly id: string; readonly colour: string | null; readonly isLate: boolean }
  | { readonly kind: 'notify'; readonly count: number }
  | { readonly kind: 'cut' | 'connect' | 'turn' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      id: fc.constantFrom(...IDS),
      colour: fc.constantFrom('red', 'blue', null),
      isLate: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('notify' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('connect' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('turn' as const) }) },
);

const turn = () => new Promise((resolve) => setTimeout(resolve, 8));

/** A client that keeps a mirror of the matching documents over cuts. */
class Mirror {
  readonly documents = new Map<string, number>();
  /** Of all connections, in order. */
  readonly events: string[] = [];
  private client: TestClient | undefined;
  private cursor: string;
  private seen = 0;
  private pending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly connect: () => TestClient,
    private readonly mode: string,
    cursor: string,
  ) {
    this.cursor = cursor;
  }

  get isConnected(): boolean {
    return this.client !== undefined;
  }

  open(): void {
    if (this.client !== undefined) return;
    this.seen = 0;
    const client = this.connect();
    this.client = client;
    this.pending = client.subscribe(RED, { cursor: this.cursor, mode: this.mode }).then(
      (answer) => expect(answer).toMatchObject({ resumed: true }),
      (error: unknown) => {
        // The connection was cut before the answer.
        if (this.client === client) throw error;
      },
    );
  }

  cut(): void {
    this.fold();
    const { client } = this;
    this.client = undefined;
    client?.close();
  }

  async settled(): Promise<void> {
    await this.pending;
  }

  fold(): void {
    const received = this.client?.received ?? [];
    for (const each of received.slice(this.seen)) this.take(each);
    this.seen = received.length;
  }

  private take({ action, scope, cursor, result }: Received): void {
    if (action === 'gap') throw new Error('an unexpected gap');
    if (cursor !== undefined) {
      expect(cursor >= this.cursor, 'in order').toBe(true);
      this.cursor = cursor;
    }
    const { _id, _version } = result as { readonly _id?: string; readonly _version?: number };
    if (_id === undefined || _version === undefined) return;
    this.events.push(`${cursor} ${action} ${scope} ${_id} ${_version}`);
    if (scope === 'in') this.documents.set(_id, _version);
    else this.documents.delete(_id);
  }
}

describe('any writes and cuts', () => {
  it.each(['events', 'state'])(
    'leave the mirror of a client in the mode %s equal to the documents, and no event is lost or repeated (RESUME-11)',
    async (mode) => {
      const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const log = new MemoryChangeLog();
        const realtime = openTestRealtime(log);
        const witness = realtime.connect();
        const { cursor } = await witness.subscribe(RED, { mode: 'auto' });
        const mirror = new Mirror(realtime.connect, mode, cursor as string);
        for (const each of steps) {
          if (each.kind === 'write') {
            const source: JsonObject | null = each.colour === null ? null : { colour: each.colour };
            realtime.write(each.id, source, each.isLate);
          } else if (each.kind === 'notify') realtime.notifyLate(each.count);
          else if (each.kind === 'cut') mirror.cut();
          else if (each.kind === 'connect') mirror.open();
          else await turn();
        }
        mirror.open();
        await mirror.settled();
        for (let n = 0; n < 6; n++) {
          await turn();
          realtime.notifyLate();
        }
        mirror.fold();
        const red = [...log.documents].filter(([, { source }]) => source['colour'] === 'red');
        expect(new Map([...mirror.documents].sort())).toEqual(
          new Map(red.map(([id, { version }]) => [id, version] as const).sort()),
        );
        if (mode === 'events') {
          const expected = new Mirror(realtime.connect, mode, '');
          for (const received of witness.received) expected['take'](received);
          expect(mirror.events).toEqual(expected.events);
        }
      });
      await fc.assert(property, { numRuns: 30, seed: 20, endOnFailure: true });
    },
    60_000,
  );
});
