/* One random collection on both engines, with the same writes in the same order. */
import type { CollectionName, JsonObject, WriteOperation, WriteOutcome } from '@millrace/kernel';
import { parseMapping, toMappingBody } from '@millrace/query';
import type { Answers, Mismatch, RequestBody } from './Answer.js';
import { Chance } from './Chance.js';
import { compareValues } from './compareValues.js';
import type { Difference } from './Difference.js';
import type { Engines } from './Engines.js';
import { randomDocument } from './randomDocuments.js';
import { randomMapping, type RandomMapping } from './randomMapping.js';

const IDS = 60;
const ALL_IDS = Array.from({ length: IDS }, (_, position) => `d${position}`);

/** A write, or the mapping after some writes, on which the engines differ. */
export interface WriteMismatch extends Mismatch {
  readonly operation: unknown;
}

export class World {
  readonly mapping: RandomMapping;
  /** Whether documents were updated or deleted. */
  isChanged = false;
  private readonly chance: Chance;
  private readonly name: CollectionName;

  constructor(
    private readonly engines: Engines,
    seed: number,
    number: number,
  ) {
    this.chance = new Chance(seed, 1, number);
    this.mapping = randomMapping(this.chance);
    this.name = { index: 'differential', collection: `w${seed}-${number}` };
  }

  /** Creates the collection and its first documents. */
  async open(): Promise<readonly WriteMismatch[]> {
    const mapping = parseMapping(this.mapping.body);
    for (const engine of this.engines.both) await engine.createCollection(this.name, mapping);
    const count = this.chance.between(15, 55);
    const mismatches = await this.write(this.chance.list(count, (position) => this.put(`d${position}`)));
    this.isChanged = mismatches.length > 0;
    return mismatches;
  }

  /** Updates, deletes and adds some documents. */
  async change(): Promise<readonly WriteMismatch[]> {
    const { chance } = this;
    this.isChanged = true;
    const operations = chance.list(chance.between(3, 20), (): WriteOperation => {
      const id = chance.of(ALL_IDS);
      return chance.percent(30) ? { ...this.name, id, kind: 'delete', condition: 'present' } : this.put(id);
    });
    return this.write(operations);
  }

  async close(): Promise<void> {
    for (const engine of this.engines.both) await engine.deleteCollection(this.name);
  }

  ask(body: RequestBody): Promise<Answers> {
    return this.engines.ask(this.name, body);
  }

  /** All documents, from the embedded engine. */
  async documents(): Promise<Difference['documents']> {
    const found = await this.engines.embedded.readMany(this.name, ALL_IDS);
    return found.flatMap((document) => (document === null ? [] : [{ id: document.id, source: document.source }]));
  }

  async mappingNow(): Promise<JsonObject> {
    return toMappingBody(await this.engines.embedded.getMapping(this.name));
  }

  private put(id: string): WriteOperation {
    const source = randomDocument(this.mapping, this.chance, 8);
    return { ...this.name, id, kind: 'put', source, condition: 'any' };
  }

  private async write(operations: readonly WriteOperation[]): Promise<readonly WriteMismatch[]> {
    const [left = [], right = []] = await Promise.all(
      this.engines.both.map((engine) => engine.write(operations, true)),
    );
    const mismatches = new Map<string, WriteMismatch>();
    for (const [at, operation] of operations.entries()) {
      const [a, b] = [describe(left[at]), describe(right[at])];
      // Further mismatches of the same document follow from the first one.
      if (a.result === b.result || mismatches.has(operation.id)) continue;
      mismatches.set(operation.id, { kind: 'write', left: a, right: b, operation });
    }
    const removals = [...mismatches.keys()].map((id): WriteOperation => ({
      ...this.name,
      id,
      kind: 'delete',
      condition: 'present',
    }));
    if (removals.length > 0) for (const engine of this.engines.both) await engine.write(removals, true);
    const [mine = {}, theirs = {}] = await Promise.all(
      this.engines.both.map(async (engine) => toMappingBody(await engine.getMapping(this.name))),
    );
    const [mapping] = compareValues(mine, theirs, { path: 'mapping' });
    return [...mismatches.values(), ...(mapping === undefined ? [] : [{ ...mapping, operation: operations }])];
  }
}

function describe(outcome: WriteOutcome | undefined): {
  readonly result: string;
  readonly reason?: string;
} {
  if (outcome === undefined) return { result: 'none' };
  return outcome.status === 'failed'
    ? { result: outcome.error.id, reason: outcome.error.message }
    : { result: `${outcome.status} ${outcome.version}` };
}
