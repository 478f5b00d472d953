/* Closes the open intents of dead nodes, and finds the writes that they made while Redis was unavailable. */
import type { StorageEngine } from '@millrace/kernel';
import { decodeEntry, type NodeMessage } from '../redis/wire.js';
import type { LogStore } from '../LogStore.js';
import type { Intents } from './Intents.js';
import type { Place } from './LogIntake.js';
import type { LogLink } from './LogLink.js';
import { DONE, GONE, INTENT, LOST } from './logMessages.js';
import { timeOf } from './positions.js';
import { UnrecordedWrites } from './UnrecordedWrites.js';

const LOOK_BACK_MS = 120_000;
const LOOK_BACK_COUNT = 100;
const NODE_DIED = 'a node died: its last changes may be missing';
const NOT_OWN = 'changes may be missing that this server could not record, or that another one made';
const SEEN_AGAIN: readonly string[] = [INTENT, DONE, GONE];

/** Dependencies of `LostNodes`. */
export interface LostNodesParts {
  readonly link: LogLink;
  readonly stream: LogStore;
  readonly engine: StorageEngine;
  readonly internalIndex: string;
  readonly intents: Intents;
  /** See `storageSettled`. */
  readonly settled: () => Promise<void>;
}

export class LostNodes {
  readonly unrecorded: UnrecordedWrites;
  /** Nodes some of whose messages this one has missed. */
  private readonly uncertain = new Set<string>();

  constructor(private readonly parts: LostNodesParts) {
    const { link, engine, internalIndex } = parts;
    this.unrecorded = new UnrecordedWrites(engine, link.nodeId, internalIndex);
  }

  /** Finds the nodes that died with open intents or unrecorded writes while no other node was alive. */
  async findGone(): Promise<void> {
    const { link, intents } = this.parts;
    const others = link.others();
    const known = new Set([...intents.nodeIds(), ...(await this.unrecorded.nodeIds())]);
    const epoch = link.ownEpoch?.();
    // Without its mark, other servers have written since, or the storage is another one.
    if (epoch !== undefined && !known.delete(epoch)) {
      // If the storage refuses writes, the next start sends the gap again.
      await this.unrecorded.put(epoch).catch(() => undefined);
      this.lost();
    }
    for (const id of known) if (!others.includes(id)) this.left(id, 'died');
  }

  /** Finds the writes that nodes have made without Redis since they were declared dead. */
  async findUnrecorded(): Promise<void> {
    const { link } = this.parts;
    if (link.ownEpoch !== undefined) return;
    for (const id of await this.unrecorded.nodeIds())
      if (id !== link.nodeId && !link.others().includes(id)) this.takeUnrecorded(id);
  }

  left(nodeId: string, how: 'stopped' | 'died'): void {
    void this.closeIntents(nodeId);
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

  /** Writes of a dead node may have been made without a record: all nodes close their intents at one place of the stream. */
  private async closeIntents(nodeId: string): Promise<void> {
    const { intents, link, settled } = this.parts;
    if (intents.collectionsOf(nodeId).length === 0) return;
    await settled();
    // It was only frozen, and completes them itself.
    if (link.others().includes(nodeId)) return;
    const keys = intents.collectionsOf(nodeId);
    // Another node may have been first.
    if (keys.length > 0) link.send(GONE, nodeId, JSON.stringify(keys));
  }

  /**
   * Takes the intents of before this node's start again. They are no older than their writes, which end by their time
   * limit. @param upTo the entry after which this node reads
   */
  async readIntents(upTo: string, take: (message: NodeMessage, place: Place) => void): Promise<void> {
    for (let after = `${Math.max(0, timeOf(upTo) - LOOK_BACK_MS)}-0`; ;) {
      const entries = await this.parts.stream.range(after, upTo, LOOK_BACK_COUNT);
      for (const { id: entryId, fields } of entries) {
        const { from, messages } = decodeEntry(fields) ?? { from: '', messages: [] };
        for (const [place, message] of messages.entries()) {
          if (SEEN_AGAIN.includes(message.topic)) take(message, { entryId, place, from });
        }
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
    this.parts.link.send(LOST, '', this.parts.link.ownEpoch === undefined ? NODE_DIED : NOT_OWN);
  }
}
