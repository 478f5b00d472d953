/*
 * One random collection on both sides, with the same writes. Servers count deleted documents in their scores until a merge,
 * so searches after a change go to a fresh copy on both sides, and to the embedded engine's own collection as well, whose
 * index went through all changes: there all is compared but the scores, which section 11 does not promise.
 */
import type { CollectionName, JsonObject, WriteOperation, WriteOutcome } from '@millrace/kernel';
import { parseMapping, toMappingBody } from '@millrace/query';
import type { Answers, RequestBody } from './Answer.js';
import { Chance } from './Chance.js';
import { compareValues } from './compareAnswers.js';
import { randomDocument } from './randomDocuments.js';
import { randomMapping, type RandomMapping } from './randomMapping.js';
import type { Sides } from './Sides.js';

const INDEX = 'differential';
const IDS = 60;

export class WriteMismatch extends Error {
  override readonly name = 'WriteMismatch';

  constructor(
    readonly kind: string,
    readonly left: unknown,
    readonly right: unknown,
    readonly operation: unknown,
  ) {
    super(kind);
  }
}

export class World {
  readonly mapping: RandomMapping;
  private readonly chance: Chance;
  private readonly home: CollectionName;
  /** Where the server's searches go. */
  private shown: CollectionName;
  private changeCount = 0;

  constructor(
    private readonly sides: Sides,
    seed: number,
    number: number,
  ) {
    this.chance = new Chance(seed, 1, number);
    this.mapping = randomMapping(this.chance);
    this.home = { index: INDEX, collection: `w${seed}-${number}` };
    this.shown = this.home;
  }

  /** Makes the collection and its first documents. @returns where the sides parted */
  async open(): Promise<readonly WriteMismatch[]> {
    const mapping = parseMapping(this.mapping.body);
    for (const engine of this.sides.both) await engine.createCollection(this.home, mapping);
    const count = this.chance.between(15, 55);
    const operations = this.chance.list(count, (position) => this.put(`d${position}`));
    const mismatches = await this.write(operations);
    // The server would go on counting what was taken out again.
    if (mismatches.length > 0) await this.copy();
    return mismatches;
  }

  /** Some updates, deletions and additions. @returns where the sides parted */
  async change(): Promise<readonly WriteMismatch[]> {
    const { chance } = this;
    const operations = chance.list(chance.between(3, 20), (): WriteOperation => {
      const id = `d${chance.below(IDS)}`;
      return chance.percent(30)
        ? { ...this.home, id, kind: 'delete', condition: 'present' }
        : this.put(id);
    });
    const mismatches = await this.write(operations);
    await this.copy();
    return mismatches;
  }

  async close(): Promise<void> {
    for (const engine of this.sides.both) await engine.deleteCollection(this.home);
    if (this.shown === this.home) return;
    for (const engine of this.sides.both) await engine.deleteCollection(this.shown);
  }

  async ask(body: RequestBody, withRaw: boolean): Promise<Answers> {
    const { sides } = this;
    const [embedded, distributed, raw, upkept] = await Promise.all([
      sides.ask(this.shown, body, 'embedded'),
      sides.ask(this.shown, body, 'distributed'),
      withRaw ? sides.askRaw(this.shown, body) : undefined,
      this.shown === this.home ? undefined : sides.ask(this.home, body, 'embedded'),
    ]);
    return { embedded, distributed, raw, upkept };
  }

  /** All documents, by the embedded engine. */
  async documents(): Promise<{ readonly id: string; readonly source: JsonObject }[]> {
    const ids = Array.from({ length: IDS }, (_, position) => `d${position}`);
    const found = await this.sides.embedded.readMany(this.home, ids);
    return found.flatMap((document) =>
      document === null ? [] : [{ id: document.id, source: document.source }],
    );
  }

  async mappingNow(): Promise<JsonObject> {
    return toMappingBody(await this.sides.embedded.getMapping(this.home));
  }

  private put(id: string): WriteOperation {
    return {
      ...this.home,
      id,
      kind: 'put',
      source: randomDocument(this.mapping, this.chance, 12),
      condition: 'any',
    };
  }

  private async write(operations: readonly WriteOperation[]): Promise<readonly WriteMismatch[]> {
    const [left, right] = await Promise.all([
      this.sides.embedded.write(operations, true),
      this.sides.distributed.write(operations, true),
    ]);
    const mismatches: WriteMismatch[] = [];
    const mismatched = new Set<string>();
    for (const [at, operation] of operations.entries()) {
      const [a, b] = [shape(left[at]), shape(right[at])];
      // What follows a mismatch of the same document tells nothing new.
      if (a.id === b.id || mismatched.has(operation.id)) continue;
      mismatched.add(operation.id);
      mismatches.push(new WriteMismatch('write outcome', a, b, operation));
      // What comes after is judged as if this one had not been.
      for (const engine of this.sides.both)
        await engine.write(
          [{ ...this.home, id: operation.id, kind: 'delete', condition: 'present' }],
          true,
        );
    }
    const [mine, theirs] = await Promise.all(
      this.sides.both.map(async (engine) => toMappingBody(await engine.getMapping(this.home))),
    );
    const [mismatch] = compareValues(mine ?? {}, theirs ?? {}, 'mapping', 'mapping');
    return mismatch === undefined
      ? mismatches
      : [...mismatches, new WriteMismatch('mapping', mismatch.left, mismatch.right, operations)];
  }

  /** A new collection on both sides with what is there now. */
  private async copy(): Promise<void> {
    const before = this.shown;
    this.changeCount += 1;
    this.shown = { index: INDEX, collection: `${this.home.collection}-${this.changeCount}` };
    const ids = Array.from({ length: IDS }, (_, position) => `d${position}`);
    await Promise.all(
      this.sides.both.map(async (engine) => {
        await engine.createCollection(this.shown, await engine.getMapping(this.home));
        const documents = await engine.readMany(this.home, ids);
        const operations = documents.flatMap((document): WriteOperation[] =>
          document === null
            ? []
            : [
                {
                  ...this.shown,
                  id: document.id,
                  kind: 'put',
                  source: document.source,
                  condition: 'any',
                },
              ],
        );
        await engine.write(operations, true);
        if (before !== this.home) await engine.deleteCollection(before);
      }),
    );
  }
}

function shape(outcome: WriteOutcome | undefined): {
  readonly id: string;
  readonly reason?: string;
} {
  if (outcome === undefined) return { id: 'none' };
  return outcome.status === 'failed'
    ? { id: outcome.error.id, reason: outcome.error.message }
    : { id: `${outcome.status} ${outcome.version}` };
}
