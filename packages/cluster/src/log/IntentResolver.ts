/*
 * Finds out what became of writes whose node can't say: it died between the intent and the changes, or the storage
 * didn't answer. The documents are read, and what happened to them is recorded.
 *
 * The nodes agree through the stream on who resolves the intents of a dead node: whose `log.resolve` comes first.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  MillraceError,
  readCollectionKey,
  storageErrors,
  type DocumentImage,
  type Logger,
  type StorageEngine,
  type StoredDocument,
} from '@millrace/kernel';
import type { Intent, Intents } from './Intents.js';
import { CHANGE, DONE, LOST, readIntentBody, RESOLVE, type ChangeBody } from './logMessages.js';

const RETRY_MS = 500;
/** Then subscribers of the collection receive a gap. */
const MAX_TRIES = 120;

/** Dependencies of `IntentResolver`. */
export interface IntentResolverParts {
  readonly nodeId: string;
  readonly engine: StorageEngine;
  readonly intents: Intents;
  readonly send: (topic: string, key: string, body: string) => number;
  readonly isAlive: (nodeId: string) => boolean;
  /** The last recorded changes of documents, by id; of the last minutes. */
  readonly lastRecorded: (
    collection: string,
    ids: readonly string[],
  ) => Promise<ReadonlyMap<string, Pick<ChangeBody, 'after'>>>;
  /** How long to wait for earlier writes to the same documents, in milliseconds. */
  readonly turnWithinMs: number;
  readonly logger: Logger;
}

/** Resolves intents. */
export class IntentResolver {
  /** By dead node, the node that resolves its intents. */
  private readonly resolvers = new Map<string, string>();
  private isStopped = false;

  constructor(private readonly parts: IntentResolverParts) {}

  stop(): void {
    this.isStopped = true;
  }

  /** A node is gone: its intents are resolved, and those that it was to resolve. */
  left(nodeId: string): void {
    const { intents, send } = this.parts;
    const inherited = [...this.resolvers].filter(([, by]) => by === nodeId).map(([dead]) => dead);
    for (const dead of inherited) this.resolvers.delete(dead);
    for (const dead of [nodeId, ...inherited]) {
      if (intents.of(dead).length > 0) send(RESOLVE, dead, '');
    }
  }

  /** Takes `log.resolve` in the order of the stream. */
  take(dead: string, from: string): void {
    const { nodeId, intents, isAlive, logger } = this.parts;
    const known = this.resolvers.get(dead);
    if (known !== undefined && (known === nodeId || isAlive(known))) return;
    this.resolvers.set(dead, from);
    if (from !== nodeId) return;
    const open = intents.of(dead);
    logger.info({ node: dead, writes: open.length }, 'finding out what became of the writes of a node');
    void Promise.all(open.map((intent) => this.resolve(intent))).then(() => this.resolvers.delete(dead));
  } // prettier-ignore

  /** Records what became of a write, then completes its intent. */
  async resolve(intent: Intent): Promise<void> {
    const { send, nodeId, logger, intents, turnWithinMs } = this.parts;
    const own = intent.ref.startsWith(`${nodeId}:`);
    const ref = own ? intent.ref.slice(nodeId.length + 1) : intent.ref;
    await intents.turn(intent.ref, turnWithinMs);
    for (let tries = 1; !this.isStopped; tries++) {
      try {
        await this.record(intent, ref);
        break;
      } catch (error) {
        if (tries < MAX_TRIES && isOutage(error)) await sleep(RETRY_MS, undefined, { ref: false });
        else {
          logger.error({ err: error }, 'what became of a write can not be found out');
          this.lost(intent);
          break;
        }
      }
    }
    send(DONE, ref, '');
  }

  private lost({ documents }: Intent): void {
    for (const key of new Set(documents.map(([collection]) => collection))) {
      this.parts.send(LOST, key, 'a node died: what became of its last writes is unknown');
    }
  }

  private async record(intent: Intent, ref: string): Promise<void> {
    const { documents, body, logged } = intent;
    // A removal of all documents: it may have been made.
    if (body === '') return this.lost(intent);
    const { befores, ...about } = readIntentBody(body);
    const places = [...documents.keys()].filter((place) => !logged.has(String(place)));
    const byCollection = new Map<string, number[]>();
    for (const place of places) {
      const [collection = ''] = documents[place] ?? [];
      byCollection.set(collection, [...(byCollection.get(collection) ?? []), place]);
    }
    for (const [collection, own] of byCollection) {
      const ids = own.map((place) => documents[place]?.[1] ?? '');
      const now = await this.read(collection, ids);
      // Another write may have changed a document between its reading and the intent, which then failed.
      const recorded = await this.parts.lastRecorded(collection, ids);
      for (const [i, place] of own.entries()) {
        const id = ids[i] ?? '';
        const last = recorded.get(id);
        const before = last === undefined ? (befores[place] ?? null) : last.after;
        const change = toChange(id, before, now[i] ?? null);
        // Its node lives, and has recorded it meanwhile.
        if (change === undefined || logged.has(String(place))) continue;
        this.parts.send(CHANGE, `${ref}.${place} ${collection}`, JSON.stringify({ ...change, ...about }));
        logged.add(String(place));
      }
    }
  } // prettier-ignore

  private async read(collection: string, ids: readonly string[]) {
    const name = readCollectionKey(collection);
    const { engine } = this.parts;
    return (await engine.hasCollection(name)) ? engine.readMany(name, ids) : ids.map(() => null);
  }
}

/** @returns undefined if the document is unchanged */
function toChange(
  id: string,
  before: DocumentImage | null,
  now: StoredDocument | null,
): Pick<ChangeBody, 'id' | 'before' | 'after'> | undefined {
  if (isSame(before, now)) return undefined;
  return { id, before, after: now && { source: now.source, meta: now.meta, version: now.version } };
}

/** Versions begin again after a deletion. */
function isSame(before: DocumentImage | null, now: DocumentImage | null): boolean {
  if (before === null || now === null) return before === now;
  const [meta, metaNow] = [before.meta, now.meta];
  const isStamp = meta.createdAt === metaNow.createdAt && meta.updatedAt === metaNow.updatedAt;
  return before.version === now.version && isStamp;
}

function isOutage(error: unknown): boolean {
  return error instanceof MillraceError && error.id === storageErrors.unavailable.id;
}
