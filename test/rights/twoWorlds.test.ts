/*
 * Two servers whose data differ only in what a user may not see give that user the same answers. MILLRACE_TEST_STEPS
 * sets the number of requests.
 */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chance } from '../differential/Chance.js';
import { randomDocument } from '../differential/randomDocuments.js';
import { randomMapping, type RandomMapping } from '../differential/randomMapping.js';
import { randomQuery } from '../differential/randomQuery.js';
import { randomSearch } from '../differential/randomSearch.js';
import { RequestContext } from '../differential/RequestContext.js';
import { startSecured, type Account, type SecuredServer } from '../security/securedServer.js';

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? 7);
const STEPS = Number(process.env['MILLRACE_TEST_STEPS'] ?? 200);
const STEPS_PER_COLLECTION = 100;
const DOCUMENTS = 30;

interface World {
  readonly server: SecuredServer;
}

const worlds: World[] = [];
beforeAll(async () => {
  worlds.push({ server: await startSecured() }, { server: await startSecured() });
});
afterAll(async () => {
  for (const { server } of worlds) await server.close();
});

/** The same mapping in both worlds, whatever is written. */
function fixed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(fixed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as JsonObject).map(([key, inner]) =>
    key === 'dynamic' ? [key, false] : [key, fixed(inner)],
  );
  return Object.fromEntries(entries) as JsonObject;
}

interface Collection {
  readonly random: RandomMapping;
  readonly path: string;
  readonly accounts: readonly Account[];
}

async function fill(number: number, chance: Chance): Promise<Collection> {
  const random = randomMapping(chance);
  const path = `/worlds/c${number}`;
  const body = fixed(random.body) as JsonObject;
  const properties = { ...(body['properties'] as JsonObject), owner: { type: 'keyword' } };
  const top = Object.keys(properties).filter((name) => name !== 'owner');
  const hidden = top.filter(() => chance.percent(25));
  const right = {
    documents: { term: { owner: 'me' } },
    ...(hidden.length > 0 && { fields: { except: hidden } }),
  };
  const actions = { get: right, search: right, count: right, mGet: true, scroll: true };
  const accounts: Account[] = [];
  const pick = (source: JsonObject, isHidden: boolean) =>
    Object.fromEntries(Object.entries(source).filter(([key]) => hidden.includes(key) === isHidden));
  for (const { server } of worlds) {
    await server.result('PUT', path, { body: { ...body, dynamic: false, properties } });
    const controllers = {
      document: { actions },
      collection: { actions: { getMapping: true } },
    };
    accounts.push(await server.account({ controllers }));
  }
  const put = async (world: number, id: string, source: JsonObject) => {
    const { server } = worlds[world] as World;
    return (await server.http('PUT', `${path}/${id}`, { body: source })).status === 200;
  };
  for (let at = 0; at < DOCUMENTS * 2; at += 1) {
    const id = `d${at % DOCUMENTS}`;
    const seen = pick(randomDocument(random, chance, 0), false);
    for (const world of [0, 1]) {
      const secret = pick(randomDocument(random, chance, 0), true);
      // A secret value may not fit its field.
      const isWritten = await put(world, id, { ...seen, ...secret, owner: 'me' });
      if (!isWritten) await put(world, id, { ...seen, owner: 'me' });
    }
    const others = chance.percent(60) ? [0] : chance.percent(20) ? [1] : [];
    for (const world of others) {
      await put(world, `hidden${at}`, { ...randomDocument(random, chance, 0), owner: 'x' });
    }
  }
  return { random, path, accounts };
}

type Step = readonly [method: string, path: string, body?: JsonObject];

function randomStep({ random, path }: Collection, chance: Chance): Step {
  const query = () => randomQuery(new RequestContext(chance, random, 3), chance.below(3));
  const id = () =>
    chance.percent(70) ? `d${chance.below(DOCUMENTS)}` : `hidden${chance.below(DOCUMENTS)}`;
  const kind = chance.below(20);
  if (kind < 2) return ['GET', `${path}/${id()}`];
  if (kind === 2) return ['POST', `${path}/_mGet`, { ids: [id(), id(), id()] }];
  if (kind === 3) return ['GET', `${path}/_mapping`];
  if (kind < 6) return ['POST', `${path}/_count`, { query: query() }];
  return ['POST', `${path}/_search`, randomSearch(random, chance)];
}

/** What may differ: ids of requests, and times. */
function comparable(text: string): JsonValue {
  return JSON.parse(text, (key, value: JsonValue) =>
    ['requestId', 'took', 'createdAt', 'updatedAt', 'author', 'updater'].includes(key)
      ? null
      : value,
  ) as JsonValue;
}

/** Requests whose answers depend on the number of a document, which is not the same in both worlds. */
function isByNumber(body: JsonObject | undefined): boolean {
  return JSON.stringify(body ?? {}).includes('random_score');
}

describe('two worlds', () => {
  it('SEC-82: give a limited user the same answers', async () => {
    const chance = new Chance(SEED);
    const statuses = new Map<number, number>();
    let steps = 0;
    for (let number = 1; steps < STEPS; number += 1) {
      const collection = await fill(number, chance);
      for (let at = 0; at < STEPS_PER_COLLECTION; at += 1) {
        const [method, path, body] = randomStep(collection, chance);
        if (isByNumber(body)) continue;
        const answers = await Promise.all(
          worlds.map(({ server }, world) => {
            const { jwt } = collection.accounts[world] as Account;
            return server.http(method, path, { jwt, ...(body && { body }) });
          }),
        );
        const [left, right] = answers.map(({ text }) => comparable(text));
        const of = `seed ${SEED}, step ${steps}: ${method} ${path} ${JSON.stringify(body)}`;
        expect(left, of).toEqual(right);
        const status = answers[0]?.status ?? 0;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        steps += 1;
      }
    }
    // Hidden names, absent documents and answers have all been compared.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 403, 404]));
    expect(statuses.get(200)).toBeGreaterThan(steps / 3);
  });
});
