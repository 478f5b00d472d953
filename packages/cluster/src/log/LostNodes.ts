/* Completes the work of dead nodes: their open intents, and the writes that they made while Redis was unavailable. */
import type { Logger, StorageEngine } from '@millrace/kernel';
import { decodeEntry, type NodeMessage } from '../link/wire.js';
import type { LogStore } from '../redis/LogStore.js';
import { IntentResolver } from './IntentResolver.js';
import type { Intent, Intents } from './Intents.js';
import type { Place } from './LogIntake.js';
import type { LogLink } from './LogLink.js';
import { CHANGE, DONE, INTENT, LOST, readChangeBody, RESOLVE, WIPED, type ChangeBody } from './logMessages.js';
import { timeOf } from './positions.js';
import { UnrecordedWrites } from './UnrecordedWrites.js';

const MAX_RESOLVED = 10_000;
const LOOK_BACK_MS = 120_000;
const LOOK_BACK_COUNT = 100;
const SEEN_AGAIN: readonly string[] = [INTENT, DONE, CHANGE, RESOLVE];

/** Dependencies of `LostNodes`. */
export interface LostNodesParts {
  readonly link: LogLink;
  readonly stream: LogStore;
  readonly engine: StorageEngine;
  readonly internalIndex: string;
  readonly intents: Intents;
  readonly logger: Logger;
  /** How long a write waits for earlier ones to the same documents, in milliseconds. */
  readonly turnWithinMs: number;
  /** See `storageSettled`. */
  readonly settled: () => Promise<void>;
}

export class LostNodes {
  readonly resolver: IntentResolver;
  readonly unrecorded: UnrecordedWrites;
  /** Intents that another node than their own has completed, with the places of the changes it has recorded. */
  private readonly resolved = new Map<string, ReadonlySet<string>>();
  /** Intents that another node resolves: their own node, if it lives, may complete them before. */
  private readonly inDoubt = new Map<string, Intent>();
  /** Nodes some of whose messages this one has missed. */
  private readonly uncertain = new Set<string>();

  constructor(private readonly parts: LostNodesParts) {
    const { link, engine, intents, logger, internalIndex } = parts;
    const { nodeId } = link;
    const send = (...message: [string, string, string]) => link.send(...message);
    const isAlive = (id: string) => link.others().includes(id);
    const lastRecorded = (collection: string, ids: readonly string[]) => this.lastRecorded(collection, ids);
    const resolving = { engine, nodeId, intents, send, isAlive, logger, lastRecorded };
    const { turnWithinMs, settled } = parts;
    this.resolver = new IntentResolver({ ...resolving, turnWithinMs, settled });
    this.unrecorded = new UnrecordedWrites(engine, nodeId, internalIndex);
  }

  /** Finds the nodes that died with open intents or unrecorded writes while no other node was alive. */
  async findGone(): Promise<void> {
    const { link, intents } = this.parts;
    const others = link.others();
    const known = new Set([...intents.nodeIds(), ...(await this.unrecorded.nodeIds())]);
    for (const id of known) if (!others.includes(id)) this.left(id, 'died');
  }

  /** Finds the writes that nodes have made without Redis since they were declared dead. */
  async findUnrecorded(): Promise<void> {
    const { link } = this.parts;
    for (const id of await this.unrecorded.nodeIds())
      if (id !== link.nodeId && !link.others().includes(id)) this.takeUnrecorded(id);
  }

  left(nodeId: string, how: 'stopped' | 'died'): void {
    this.resolver.left(nodeId);
    if (this.uncertain.delete(nodeId)) this.lost();
    // A node that stops has sent everything before.
    if (how === 'stopped') return;
    this.takeUnrecorded(nodeId);
  }

  /** Messages of a node were lost. */
  missed(nodeId: string): void {
    this.uncertain.add(nodeId);
    this.parts.intents.closeAll(nodeId);
  }

  /** Whether another node has recorded this change on behalf of the node that made it. */
  isRecordedFor(ref: string, place: string, from: string): boolean {
    return ref.startsWith(`${from}:`) && this.resolved.get(ref)?.has(place) === true;
  }

  /** Determines the outcome of a write of this node. @param mayBeLate the storage may still make it */
  resolve(ref: string, mayBeLate: boolean): void {
    const intent = this.parts.intents.find(ref);
    if (intent !== undefined) void this.resolver.resolve(intent, mayBeLate);
    else this.parts.link.send(DONE, ref.slice(ref.indexOf(':') + 1), '');
  }

  /** An open intent, or one that another node than its own has yet to complete. */
  intentOf(ref: string): Intent | undefined {
    return this.parts.intents.find(ref) ?? this.inDoubt.get(ref);
  }

  /** Takes `log.resolve`. */
  takeResolve(dead: string, from: string): void {
    for (const intent of this.parts.intents.of(dead)) keep(this.inDoubt, intent.ref, intent);
    this.resolver.take(dead, from);
  }

  /** Takes `log.done`. */
  takeDone(key: string, from: string): void {
    const { intents } = this.parts;
    if (!key.includes(':')) return intents.close(`${from}:${key}`);
    keep(this.resolved, key, this.intentOf(key)?.logged ?? new Set());
    this.inDoubt.delete(key);
    intents.close(key);
  }

  /**
   * Takes the intents of before this node's start again. They are no older than their writes, which end by their time
   * limit. @param upTo the entry after which this node reads
   */
  async readIntents(upTo: string, take: (message: NodeMessage, place: Place) => void): Promise<void> {
    for await (const { message, ...place } of this.lately(upTo)) {
      if (SEEN_AGAIN.includes(message.topic)) take(message, place);
    }
  }

  /** See `IntentResolverParts`. */
  private async lastRecorded(
    collection: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<ChangeBody, 'after'>>> {
    const found = new Map<string, Pick<ChangeBody, 'after'>>();
    for await (const { message } of this.lately(await this.parts.stream.lastId())) {
      const { topic, key, body } = message;
      if ((topic !== CHANGE && topic !== WIPED) || !key.endsWith(` ${collection}`)) continue;
      if (topic === WIPED) for (const id of ids) found.set(id, { after: null });
      else {
        const change = readChangeBody(body);
        if (ids.includes(change.id)) found.set(change.id, change);
      }
    }
    return found;
  }

  /** The messages of the last minutes. */
  private async *lately(upTo: string): AsyncGenerator<Place & { readonly message: NodeMessage }> {
    for (let after = `${Math.max(0, timeOf(upTo) - LOOK_BACK_MS)}-0`; ;) {
      const entries = await this.parts.stream.range(after, upTo, LOOK_BACK_COUNT);
      for (const { id, fields } of entries) {
        const { from, messages } = decodeEntry(fields) ?? { from: '', messages: [] };
        for (const [place, message] of messages.entries()) yield { entryId: id, place, from, message };
      }
      const last = entries.at(-1);
      if (last === undefined) return;
      after = `(${last.id}`;
    }
  }

  private takeUnrecorded(nodeId: string): void {
    const found = (isMarked: boolean) => void (isMarked && this.lost());
    this.unrecorded.take(nodeId).then(found, () => this.lost());
  }

  private lost(): void {
    this.parts.link.send(LOST, '', 'a node died: its last changes may be missing');
  }
}

/** Adds an entry, and removes the oldest one above the limit. */
function keep<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.set(key, value);
  if (entries.size <= MAX_RESOLVED) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    break;
  }
}
