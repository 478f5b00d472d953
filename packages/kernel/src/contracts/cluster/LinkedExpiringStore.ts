/*
 * Values within reach of every node. Each stays on the node that made its key, and the key begins with the node's
 * identifier; another node asks that one. So nothing is copied, and a value is taken once, whoever takes it. The values
 * of a node that is gone are gone with it.
 */
import { isJsonObject, type JsonObject } from '../../json/Json.js';
import type { ExpiringStore } from '../runtime/ExpiringStore.js';
import type { MemoryExpiringStore } from '../runtime/MemoryExpiringStore.js';
import type { NodeLink } from './NodeLink.js';

/** No identifier of a node has it. */
const SEPARATOR = '-';
const MAX_KEY_LENGTH = 1_024;

/** An `ExpiringStore` of several nodes. */
export class LinkedExpiringStore implements ExpiringStore {
  /** @param topic its own, without a space, the same on every node; its questions are answered from now on */
  constructor(
    private readonly own: MemoryExpiringStore,
    private readonly link: NodeLink,
    private readonly topic: string,
  ) {
    link.answer(topic, async (question) => JSON.stringify(this.answer(question)));
  }

  newKey(): string {
    return `${this.link.nodeId}${SEPARATOR}${this.own.newKey()}`;
  }

  /** A key that `newKey` has not made is kept here and seen by this node alone. */
  add(key: string, value: JsonObject, lifeMs: number): boolean {
    return this.own.add(key, value, lifeMs);
  }

  read(key: string): JsonObject | null | Promise<JsonObject | null> {
    const home = this.homeOf(key);
    return home === null ? this.own.read(key) : this.ask(home, { read: key });
  }

  take(key: string): JsonObject | null | Promise<JsonObject | null> {
    const home = this.homeOf(key);
    return home === null ? this.own.take(key) : this.ask(home, { take: key });
  }

  /** The other node that has made the key; null where it is this one, or none. */
  private homeOf(key: string): string | null {
    const end = key.indexOf(SEPARATOR);
    const home = key.slice(0, Math.max(end, 0));
    return home === '' || home === this.link.nodeId || key.length > MAX_KEY_LENGTH ? null : home;
  }

  private async ask(home: string, question: JsonObject): Promise<JsonObject | null> {
    try {
      const value: unknown = JSON.parse(
        await this.link.ask(home, this.topic, JSON.stringify(question)),
      );
      return isJsonObject(value) ? value : null;
    } catch {
      // Nobody has this identifier, or the node is gone: with it went its values.
      return null;
    }
  }

  private answer(question: string): JsonObject | null {
    const { read, take } = JSON.parse(question) as {
      readonly read?: string;
      readonly take?: string;
    };
    if (typeof take === 'string') return this.own.take(take);
    return typeof read === 'string' ? this.own.read(read) : null;
  }
}
