/*
 * Two servers whose data differ only in what a user may not see give that user the same answers. MILLRACE_TEST_STEPS
 * sets the number of requests.
 */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, describe, expect, it } from 'vitest';
import { Chance } from '../differential/Chance.js';
import { randomQuery } from '../differential/randomQuery.js';
import { randomSearch } from '../differential/randomSearch.js';
import { RequestContext } from '../differential/RequestContext.js';
import type { Account } from '../security/securedServer.js';
import { documentId, withHostileNames } from './hostileNames.js';
import {
  comparable,
  comparableUnscored,
  createCollection,
  DOCUMENTS,
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

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? 7);
const STEPS = Number(process.env['MILLRACE_TEST_STEPS'] ?? 200);
const STEPS_PER_COLLECTION = 100;
const PERCENT_WRITES = 5;

async function fill(worlds: readonly World[], number: number, chance: Chance): Promise<Collection> {
  const collection = await createCollection(worlds, number, chance);
  for (let at = 0; at < DOCUMENTS * 2; at += 1) await write(worlds, collection, chance, at);
  await refresh(worlds);
  return collection;
}

/** Writes a document in both worlds, and hidden ones in one of them. */
async function write(worlds: readonly World[], collection: Collection, chance: Chance, at: number): Promise<void> {
  const seen = { ...randomPart(collection, chance, false), owner: 'me' };
  await putBoth(worlds, collection, chance, [documentId(at % DOCUMENTS), seen]);
  const others = chance.percent(60) ? [0] : chance.percent(20) ? [1] : [];
  for (const world of others) {
    await putHidden(worlds[world] as World, collection, chance, `hidden${at}`);
  }
}

async function refresh(worlds: readonly World[]): Promise<void> {
  for (const { server } of worlds) await server.result('POST', '/worlds/_refresh');
}

type Step = readonly [method: string, path: string, body?: JsonObject];

function randomStep({ random, path }: Collection, chance: Chance): Step {
  const query = () => randomQuery(new RequestContext(chance, random, 3), chance.below(3));
  const id = () => (chance.percent(70) ? documentId(chance.below(DOCUMENTS)) : `hidden${chance.below(DOCUMENTS)}`);
  const kind = chance.below(20);
  if (kind < 2) return ['GET', `${path}/${id()}`];
  if (kind === 2) return ['POST', `${path}/_mGet`, { ids: [id(), id(), id()] }];
  if (kind === 3) return ['GET', `${path}/_mapping`];
  if (kind < 6) return ['POST', `${path}/_count`, { query: query() }];
  return ['POST', `${path}/_search`, withHostileNames(randomSearch(random, chance), chance)];
}

/** Without a sort, scores and numbers of documents choose the hits of a page. */
function allHits(body: JsonObject): JsonObject {
  const isPage = body['sort'] === undefined && body['size'] !== 0;
  return isPage ? { ...body, from: 0, size: 2 * DOCUMENTS } : body;
}

describe.each(worldEngines('read'))('two worlds on $engine', ({ configs, hasScores }) => {
  let worlds: readonly World[] = [];
  afterAll(async () => {
    for (const { server } of worlds) {
      await server.http('DELETE', '/worlds');
      await server.close();
    }
  });

  it('SEC-82: give a limited user the same answers', { timeout: 3_600_000 }, async () => {
    worlds = await openWorlds(configs);
    const chance = new Chance(SEED);
    const statuses = new Map<number, number>();
    const shown = hasScores ? comparable : comparableUnscored;
    let steps = 0;
    for (let number = 1; steps < STEPS; number += 1) {
      const collection = await fill(worlds, number, chance);
      for (let at = 0; at < STEPS_PER_COLLECTION; at += 1) {
        if (chance.percent(PERCENT_WRITES)) {
          await write(worlds, collection, chance, chance.below(2 * DOCUMENTS));
          await refresh(worlds);
        }
        const [method, path, drawn] = randomStep(collection, chance);
        const isUnscored = !hasScores && path.endsWith('/_search');
        const body = drawn && isUnscored ? allHits(drawn) : drawn;
        if (isByNumber(body) || (!hasScores && selectsByScore(body))) continue;
        const answers = await Promise.all(
          worlds.map(({ server }, world) => {
            const { jwt } = collection.accounts[world] as Account;
            return server.http(method, path, { jwt, ...(body && { body }) });
          }),
        );
        const [left, right] = answers.map(({ text }) => shown(text));
        const of = `seed ${SEED}, step ${steps}: ${method} ${path} ${JSON.stringify(body)}`;
        expect(left, of).toEqual(right);
        const status = answers[0]?.status ?? 0;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        steps += 1;
      }
      for (const { server } of worlds) await server.http('DELETE', collection.path);
    }
    console.log(`seed ${SEED}: ${steps} requests, answers ${JSON.stringify([...statuses])}`);
    // Hidden names, absent documents and answers have all been compared.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 403, 404]));
    expect(statuses.get(200)).toBeGreaterThan(steps / 3);
  });
});
