import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { CollectionName, CopyableEngine, StoredText } from '@millrace/kernel';
import { EVERY_DOCUMENT } from '@millrace/query';

/** What two engines have. */
export interface Comparison {
  readonly collections: number;
  /** Documents that were compared. */
  readonly documents: number;
  /** XOR of a checksum of each document, in hexadecimal digits: equal on both sides. */
  readonly checksum: string;
  readonly different: readonly DifferentDocument[];
}

/** A document that isn't the same in both engines. */
export interface DifferentDocument extends CollectionName {
  readonly id: string;
}

/** The dependencies of `compareEngines`. */
export interface ComparisonParts {
  readonly left: CopyableEngine;
  readonly right: CopyableEngine;
  readonly names: readonly CollectionName[];
  /** Whether a document is being changed, so that a difference says nothing. */
  readonly isChanging: (name: CollectionName, id: string) => boolean;
  /** Called after each page. @throws Error that ends the comparison */
  readonly onProgress: (documents: number) => void;
}

/** Pages that are compared at the same time. */
const LANES = 3;

/** A document that differs this often while nothing changes it is different. */
const STRIKES = 3;
const MAX_LOOKS = 10;
/** Documents that are looked at again together. */
const MAX_SUSPECTS = 2_000;
const LOOK_AGAIN_MS = 100;

/** Compares all documents of two engines, content, version and metadata, while they may change. */
export async function compareEngines(parts: ComparisonParts): Promise<Comparison> {
  const run = new ComparisonRun(parts);
  for (const name of parts.names) await run.compareCollection(name);
  return run.result;
}

class ComparisonRun {
  private documents = 0;
  private checksum = 0;
  private readonly different: DifferentDocument[] = [];

  constructor(private readonly parts: ComparisonParts) {}

  get result(): Comparison {
    const { documents, different } = this;
    const checksum = (this.checksum >>> 0).toString(16).padStart(8, '0');
    return { collections: this.parts.names.length, documents, checksum, different };
  }

  async compareCollection(name: CollectionName): Promise<void> {
    const { left, right, onProgress } = this.parts;
    const suspects: string[] = [];
    await inLanes(left.pages(name), LANES, async (page) => {
      const ids = page.map(({ id }) => id);
      suspects.push(...this.comparePage(page, await right.readTexts(name, ids)));
      if (suspects.length > MAX_SUSPECTS) await this.lookAgain(name, suspects.splice(0));
      onProgress(this.documents);
    });
    await inLanes(right.scan(name, EVERY_DOCUMENT), LANES, async (found) => {
      const ids = found.map(({ id }) => id);
      const known = await left.readTexts(name, ids);
      suspects.push(...ids.filter((_, i) => known[i] === null));
      if (suspects.length > MAX_SUSPECTS) await this.lookAgain(name, suspects.splice(0));
      onProgress(this.documents);
      await nextTurn();
    });
    await this.lookAgain(name, suspects);
  }

  /** @returns the documents that differ */
  private comparePage(page: readonly StoredText[], others: readonly (StoredText | null)[]): readonly string[] {
    const suspects: string[] = [];
    for (const [i, document] of page.entries()) {
      const text = textOf(document);
      if (text !== textOf(others[i] ?? null)) suspects.push(document.id);
      else this.count(text);
    }
    return suspects;
  }

  /** Documents that a write has just changed in one engine become equal. */
  private async lookAgain(name: CollectionName, suspects: readonly string[]): Promise<void> {
    const { left, right, isChanging } = this.parts;
    const strikes = new Map<string, number>();
    let rest = suspects;
    for (let looks = 0; rest.length > 0 && looks < MAX_LOOKS; looks += 1) {
      if (looks > 0) await sleep(LOOK_AGAIN_MS);
      const before = await left.readTexts(name, rest);
      const others = await right.readTexts(name, rest);
      const after = await left.readTexts(name, rest);
      rest = rest.filter((id, i) => {
        const text = textOf(before[i] ?? null);
        if (text === textOf(others[i] ?? null)) {
          if (text !== '') this.count(text);
          return false;
        }
        if (text !== textOf(after[i] ?? null) || isChanging(name, id)) return true;
        strikes.set(id, (strikes.get(id) ?? 0) + 1);
        if (strikes.get(id) !== STRIKES) return true;
        this.different.push({ ...name, id });
        return false;
      });
    }
  }

  private count(text: string): void {
    this.documents += 1;
    this.checksum ^= crc32(text);
  }
}

/** Empty: there is no document. */
function textOf(document: StoredText | null): string {
  if (document === null) return '';
  const { id, version, json, meta } = document;
  const { createdAt, updatedAt, author, updater } = meta;
  return `${JSON.stringify([id, version, createdAt, updatedAt, author, updater])}${json}`;
}

/** Works on several items at a time. @throws the first error, when no work is under way any more */
async function inLanes<T>(items: AsyncIterable<T>, laneCount: number, work: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const run = async (): Promise<void> => {
    try {
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) await work(next.value);
    } catch (error) {
      // Ends the other lanes.
      await iterator.return?.();
      throw error;
    }
  };
  for (const lane of await Promise.allSettled(Array.from({ length: laneCount }, run)))
    if (lane.status === 'rejected') throw lane.reason as Error;
}
