import { setTimeout as sleep } from 'node:timers/promises';
import { toDocumentKey, type CollectionName, type Logger } from '@millrace/kernel';
import type { DocumentKey, WriteIntents } from './WriteIntents.js';

/** How often documents whose write was not answered are read again. */
const RESOLVE_MS = 1_000;

/** The dependencies of `UnansweredWrites`. */
export interface UnansweredWritesParts {
  readonly intents: WriteIntents;
  /** Makes the documents of the embedded engine equal to those of Elasticsearch, in turn with their writes. */
  readonly copy: (documents: readonly DocumentKey[]) => Promise<void>;
  readonly log: Logger;
}

/** Writes of documents that Elasticsearch did not answer. Determines their outcome when it answers again. */
export class UnansweredWrites {
  private readonly byIntent = new Map<string, readonly DocumentKey[]>();
  private resolving: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: UnansweredWritesParts) {}

  start(): void {
    this.timer = setInterval(() => void this.resolve(), RESOLVE_MS).unref();
  }

  end(): void {
    clearInterval(this.timer);
  }

  add(intent: string, documents: readonly DocumentKey[]): void {
    this.byIntent.set(intent, documents);
  }

  has(name: CollectionName, id: string): boolean {
    const key = toDocumentKey(name, id);
    for (const documents of this.byIntent.values())
      if (documents.some((each) => toDocumentKey(each, each.id) === key)) return true;
    return false;
  }

  /** As far as Elasticsearch answers in time. */
  async resolveWithin(milliseconds: number): Promise<void> {
    await Promise.race([this.resolve(), sleep(milliseconds)]);
  }

  private resolve(): Promise<void> {
    this.resolving ??= this.resolveAll().finally(() => {
      this.resolving = undefined;
    });
    return this.resolving;
  }

  private async resolveAll(): Promise<void> {
    for (const [intent, documents] of [...this.byIntent]) {
      try {
        await this.parts.copy(documents);
      } catch (error) {
        this.parts.log.warn({ error }, 'a write to Elasticsearch is not answered yet');
        return;
      }
      this.byIntent.delete(intent);
      await this.parts.intents.remove(intent);
    }
  }
}
