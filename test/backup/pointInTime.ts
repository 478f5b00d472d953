import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { restoreBackup } from '@millrace/server';
import { Chance } from '../differential/Chance.js';
import { listBackups, openServer, type OpenServer } from './openServer.js';

/** The server that `pointInTime` runs. */
export const CONTINUOUS: JsonObject = {
  backup: { continuous: true, schedule: '0 3 * * *' },
  realtime: { history: { collections: 'all' } },
};

const COLLECTIONS = ['a', 'b'];
const IDS = 12;

/** By collection and id, the value of `n`. */
type State = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface Moment {
  readonly timeMs: number;
  readonly state: State;
}

/** Writes at random, restores random moments, and compares each with what was written until then. */
export async function pointInTime(folder: string, seed: number, moments: number): Promise<void> {
  const chance = new Chance(seed, 1, 1);
  const dataDir = join(folder, 'data');
  const seen = await writeAtRandom(dataDir, chance, 4 * moments);
  for (let n = 0; n < moments; n++) {
    const { timeMs, state } = chance.of(seen);
    const target = join(folder, `restored-${n}`);
    await restoreBackup({ source: join(dataDir, 'backups'), dataDir: target, until: { timeMs } });
    const server = await openServer(target);
    expect(await stateOf(server), `moment ${n}, ${new Date(timeMs).toISOString()}`).toEqual(state);
    await server.kernel.stop();
  }
}

async function writeAtRandom(dataDir: string, chance: Chance, count: number): Promise<Moment[]> {
  let server = await openServer(dataDir, CONTINUOUS);
  await server.ask({ controller: 'index', action: 'create', index: 'i' });
  await expect.poll(() => hasBackup(server)).toBe(true);
  const seen: Moment[] = [];
  const state: Record<string, Record<string, number>> = { a: {}, b: {} };
  for (const collection of COLLECTIONS) await create(server, collection);
  for (let n = 0; n < count; n++) {
    await writeOnce(server, chance, { n, state });
    await pause(3);
    seen.push({ timeMs: Date.now(), state: structuredClone(state) });
    await pause(3);
    if (n % 40 !== 39) continue;
    // Between two runs the changes go on in the next segment.
    await server.kernel.stop();
    server = await openServer(dataDir, CONTINUOUS);
  }
  await server.kernel.stop();
  return seen;
}

async function hasBackup(server: OpenServer): Promise<boolean> {
  return (await listBackups(server)).some((each) => each.state === 'complete');
}

function create({ ask }: OpenServer, collection: string): Promise<JsonObject> {
  return ask({ controller: 'collection', action: 'create', index: 'i', collection });
}

async function writeOnce(
  server: OpenServer,
  chance: Chance,
  { n, state }: { readonly n: number; readonly state: Record<string, Record<string, number>> },
): Promise<void> {
  const collection = chance.of(COLLECTIONS);
  const documents = state[collection] ?? {};
  const call = { index: 'i', collection };
  if (chance.percent(3)) {
    await server.ask({ controller: 'collection', action: 'truncate', ...call });
    state[collection] = {};
  } else if (chance.percent(2)) {
    await server.ask({ controller: 'collection', action: 'delete', ...call });
    await create(server, collection);
    state[collection] = {};
  } else {
    const id = `d${chance.between(0, IDS)}`;
    const isThere = documents[id] !== undefined;
    const action = isThere && chance.percent(30) ? 'delete' : 'createOrReplace';
    const body = action === 'delete' ? {} : { body: { n } };
    await server.ask({ controller: 'document', action, ...call, _id: id, ...body });
    if (action === 'delete') delete documents[id];
    else documents[id] = n;
  }
}

async function stateOf(server: OpenServer): Promise<State> {
  const state: Record<string, Record<string, number>> = {};
  for (const collection of COLLECTIONS) {
    const search = { controller: 'document', action: 'search', index: 'i', collection };
    const { hits } = await server.ask({ ...search, body: { size: 100 } });
    const found = hits as unknown as readonly { _id: string; _source: { n: number } }[];
    state[collection] = Object.fromEntries(found.map(({ _id, _source }) => [_id, _source.n]));
  }
  return state;
}
