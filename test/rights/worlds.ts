/*
 * Two servers whose data differ only in what a user may not see: in documents of others, and in hidden fields. Admins
 * write, the limited user asks.
 */
import { websocket } from '@millrace/protocol-websocket';
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import type { Chance } from '../differential/Chance.js';
import { randomDocument } from '../differential/randomDocuments.js';
import { randomMapping, type RandomMapping } from '../differential/randomMapping.js';
import { startSecured, type Account, type SecuredServer } from '../security/securedServer.js';
import { hasElasticsearch, NODE } from '../storage/openElasticsearch.js';
import { withHostileFields } from './hostileNames.js';

/** Documents of the user in a collection. */
export const DOCUMENTS = 30;
/** What may differ: ids of requests, positions and times. */
const DIFFERENT = ['requestId', 'took', 'createdAt', 'updatedAt', 'author', 'updater', 'cursor', 'base', 'timestamp'];
const SCORES = ['_score', 'max_score'];

/** The engines on which worlds are compared. */
export interface WorldEngine {
  readonly engine: string;
  /** Of the two servers. */
  readonly configs: readonly JsonObject[];
  /** Whether scores don't depend on hidden documents: on Elasticsearch they do (SEC-82). */
  readonly hasScores: boolean;
}

/** @param name distinguishes the indexes of a test in Elasticsearch */
export function worldEngines(name: string): readonly WorldEngine[] {
  const prefixes = ['a', 'b'].map((each) => `worlds-${name}-${each}-${process.pid}`);
  const configs = prefixes.map((prefix) => ({
    storage: { engine: 'elasticsearch', elasticsearch: { node: NODE, prefix } },
  }));
  return [
    { engine: 'the embedded engine', configs: [{}, {}], hasScores: true },
    ...(hasElasticsearch() ? [{ engine: 'Elasticsearch', configs, hasScores: false }] : []),
  ];
}

export interface World {
  readonly server: SecuredServer;
  /** Its address over WebSocket. */
  readonly url: string;
}

/** A collection of both worlds. */
export interface Collection {
  readonly random: RandomMapping;
  readonly path: string;
  readonly name: string;
  /** The limited user, by world. */
  readonly accounts: readonly Account[];
  /** Fields of the top level that the user does not see. */
  readonly hidden: readonly string[];
}

/** @param configs of the two servers */
export async function openWorlds(configs: readonly JsonObject[]): Promise<readonly World[]> {
  const worlds: World[] = [];
  for (const config of configs) {
    const server = await startSecured({ ...config, websocket: { port: 0 } }, { plugins: [websocket()] });
    const addresses = await server.started.kernel.start();
    const url = addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '';
    worlds.push({ server, url });
  }
  return worlds;
}

/** The same mapping in both worlds, whatever is written. */
function fixed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(fixed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as JsonObject).map(([key, inner]) =>
    key === 'dynamic' ? [key, false] : [key, fixed(inner)],
  );
  return Object.fromEntries(entries) as JsonObject;
}

export async function createCollection(worlds: readonly World[], number: number, chance: Chance): Promise<Collection> {
  const random = withHostileFields(randomMapping(chance), chance);
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
  for (const { server } of worlds) {
    await server.result('PUT', path, { body: { ...body, dynamic: false, properties } });
    const controllers = {
      document: { actions },
      collection: { actions: { getMapping: true } },
      realtime: { actions: { '*': true } },
    };
    accounts.push(await server.account({ controllers }));
  }
  return { random, path, name: `c${number}`, accounts, hidden };
}

/** The part of a random document that the user sees, or the rest of it. */
export function randomPart({ random, hidden }: Collection, chance: Chance, isHidden: boolean): JsonObject {
  const entries = Object.entries(randomDocument(random, chance, 0));
  return Object.fromEntries(entries.filter(([key]) => hidden.includes(key) === isHidden));
}

/** Writes a document with the same visible content, and other secrets in each world. */
export async function putBoth(
  worlds: readonly World[],
  collection: Collection,
  chance: Chance,
  [id, seen]: readonly [id: string, seen: JsonObject],
): Promise<void> {
  for (const { server } of worlds) {
    const secret = randomPart(collection, chance, true);
    const put = (body: JsonObject) => server.http('PUT', `${collection.path}/${id}`, { body });
    // A secret value may not fit its field.
    if ((await put({ ...seen, ...secret })).status !== 200) await put(seen);
  }
}

/** Writes a document of someone else. */
export async function putHidden(
  { server }: World,
  { random, path }: Collection,
  chance: Chance,
  id: string,
): Promise<void> {
  const body = { ...randomDocument(random, chance, 0), owner: 'x' };
  await server.http('PUT', `${path}/${id}`, { body });
}

/** An answer or notification without what may differ. */
export function comparable(text: string): JsonValue {
  return JSON.parse(text, (key, value: JsonValue) => (DIFFERENT.includes(key) ? null : value)) as JsonValue;
}

/** As `comparable`, for an engine whose scores count hidden documents: without scores and without the order by them. */
export function comparableUnscored(text: string): JsonValue {
  return JSON.parse(text, (key, value: JsonValue) => {
    if (DIFFERENT.includes(key) || SCORES.includes(key)) return null;
    // A field of a document may have this name, too.
    if (key !== 'hits' || !Array.isArray(value) || !value.every(isJsonObject)) return value;
    const hits: readonly JsonObject[] = value;
    // Sorted hits have their values of the sort.
    if (hits.some((hit) => hit.sort !== undefined)) return hits;
    const sorted: readonly JsonObject[] = [...hits].sort(byJson);
    return sorted;
  }) as JsonValue;
}

function byJson(a: JsonObject, b: JsonObject): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** Whether the documents of an answer, not only their order, depend on scores. */
export function selectsByScore(body: JsonObject | undefined): boolean {
  return /"(min_score|_score|inner_hits|top_hits)"/.test(JSON.stringify(body ?? {}));
}

/** Requests whose answers depend on the number of a document, which is not the same in both worlds. */
export function isByNumber(body: JsonObject | undefined): boolean {
  return JSON.stringify(body ?? {}).includes('random_score');
}
