/*
 * Determines the outcome of writes whose node doesn't know it: the node died between the intent and the changes, or the
 * storage didn't answer. The documents are read, and their changes are recorded.
 *
 * The node whose `log.resolve` is first in the stream resolves the intents of a dead node.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  readCollectionKey,
  type DocumentImage,
  type Logger,
  type StorageEngine,
  type StoredDocument,
} from '@millrace/kernel';
import type { Intent, Intents } from './Intents.js';
import { isOutage } from './isOutage.js';
import { LATE_MS } from './storageSettled.js';
import { CHANGE, DONE, LOST, readIntentBody, RESOLVE, type ChangeBody } from './logMessages.js';

const RETRY_MS = 500;
/** After so many attempts, subscribers of the collection receive a gap. */
const MAX_TRIES = 120;
/** A storage that takes longer for an answer may also make an earlier write late. */
const SLOW_MS = 1_000;

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
  /** See `storageSettled`. */
  readonly settled: () => Promise<void>;
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

  /**
   * Records the changes of a write, then completes its intent.
   * @param mayBeLate the storage didn't answer: it may make the write yet
   */
  async resolve(intent: Intent, mayBeLate = false): Promise<void> {
    const { send, nodeId, intents, turnWithinMs } = this.parts;
    const own = intent.ref.startsWith(`${nodeId}:`);
    const ref = own ? intent.ref.slice(nodeId.length + 1) : intent.ref;
    const turn = await intents.turn(intent.ref, turnWithinMs);
    // Its node lives, and has completed it.
    if (turn === 'closed') return;
    if (turn === 'late') this.lost(intent);
    else if (intent.body === '') await this.takeRemoval(intent);
    else await this.findOut(intent, { ref, mayBeLate });
    // Another node takes over.
    if (!this.isStopped) send(DONE, ref, '');
  }

  /** A removal of all documents may have been made. */
  private async takeRemoval(intent: Intent): Promise<void> {
    await this.parts.settled();
    this.lost(intent);
  }

  /** Reads the documents; while the write may still be made, again and again. */
  private async findOut(
    intent: Intent,
    { ref, mayBeLate }: { readonly ref: string; readonly mayBeLate: boolean },
  ): Promise<void> {
    let isSuspect = mayBeLate;
    let answeredAtMs: number | undefined;
    let failures = 0;
    while (!this.isStopped) {
      const beganAtMs = performance.now();
      try {
        const isWhole = await this.record(intent, ref);
        const nowMs = performance.now();
        isSuspect ||= nowMs - beganAtMs > SLOW_MS;
        answeredAtMs ??= nowMs;
        if (isWhole || !isSuspect || nowMs - answeredAtMs > LATE_MS) return;
      } catch (error) {
        [isSuspect, answeredAtMs] = [true, undefined];
        if (!isOutage(error) || ++failures === MAX_TRIES) {
          this.parts.logger.error({ err: error }, 'what became of a write can not be found out');
          return this.lost(intent);
        }
      }
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }

  private lost({ documents }: Intent): void {
    for (const key of new Set(documents.map(([collection]) => collection))) {
      this.parts.send(LOST, key, 'a node died: what became of its last writes is unknown');
    }
  }

  /** @returns whether all documents of the write have a recorded change */
  private async record(intent: Intent, ref: string): Promise<boolean> {
    const { documents, body, logged } = intent;
    const { befores, ...about } = readIntentBody(body);
    const byCollection = new Map<string, number[]>();
    for (const [place, [collection]] of documents.entries()) {
      if (logged.has(String(place))) continue;
      byCollection.set(collection, [...(byCollection.get(collection) ?? []), place]);
    }
    for (const [collection, places] of byCollection) {
      const found = await this.changed(intent, { collection, places, befores });
      for (const { place, change } of found) {
        // Its node lives, and has recorded it meanwhile.
        if (logged.has(String(place))) continue;
        const key = `${ref}.${place} ${collection}`;
        this.parts.send(CHANGE, key, JSON.stringify({ ...change, ...about }));
        logged.add(String(place));
      }
    }
    return logged.size === documents.length;
  }

  /** The documents of one collection that aren't any more as they were recorded. */
  private async changed(
    { documents }: Intent,
    { collection, places, befores }: ToCompare,
  ): Promise<readonly { readonly place: number; readonly change: Found }[]> {
    const { engine, lastRecorded } = this.parts;
    const name = readCollectionKey(collection);
    const ids = places.map((place) => documents[place]?.[1] ?? '');
    const now = (await engine.hasCollection(name)) ? await engine.readMany(name, ids) : ids.map(() => null);
    const isChanged = places.some((place, i) => !isSame(befores[place] ?? null, now[i] ?? null));
    if (!isChanged) return [];
    // Another write may have changed a document between its reading and the intent, which then failed.
    const recorded = await lastRecorded(collection, ids);
    const found = places.flatMap((place, i) => {
      const id = ids[i] ?? '';
      const last = recorded.get(id);
      const before = last === undefined ? (befores[place] ?? null) : last.after;
      const change = toChange(id, before, now[i] ?? null);
      return change === undefined ? [] : [{ place, change }];
    });
    // Searches must see a change before subscribers receive it; the dead node may not have refreshed the index.
    if (found.length > 0 && (await engine.hasCollection(name))) await engine.refresh(name.index);
    return found;
  }
}

/** Documents of a write, in one collection. */
interface ToCompare {
  readonly collection: string;
  readonly places: readonly number[];
  readonly befores: readonly (DocumentImage | null)[];
}

type Found = Pick<ChangeBody, 'id' | 'before' | 'after'>;

/** @returns undefined if the document is unchanged */
function toChange(id: string, before: DocumentImage | null, now: StoredDocument | null): Found | undefined {
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
