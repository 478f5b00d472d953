/*
 * The differential test: random requests to random collections on both engines. Run N of a seed is always the same,
 * whatever ran before it: collections and requests are drawn from (seed, number).
 */
import type { CollectionName, JsonObject } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import type { Answer, Answers, Mismatch, RequestBody } from './Answer.js';
import { Chance } from './Chance.js';
import { compareAnswers } from './compareAnswers.js';
import type { Difference } from './Difference.js';
import { Engines } from './Engines.js';
import { LISTED_EXCEPTIONS } from './listedExceptions.js';
import { randomSearch } from './randomSearch.js';
import { shrinkJson, shrinkList } from './shrink.js';
import { World, type WriteMismatch } from './World.js';

const RUNS_PER_WORLD = 100;
const RUNS_PER_CHANGE = 25;
const AT_ONCE = 5;

export interface DifferentialOptions {
  /** Address of Elasticsearch. */
  readonly node: string;
  readonly seed: number;
  readonly runs: number;
  /** This run alone, after the changes that came before it. */
  readonly only?: number;
  /** Stops after so many unlisted differences of different kinds. */
  readonly maxDifferences: number;
  readonly shrinks: boolean;
  readonly onProgress?: (line: string) => void;
  readonly onDifference?: (difference: Difference) => void;
  /** For each difference that a listed exception excuses. */
  readonly onException?: (name: string, seen: Mismatch, run: number) => void;
}

export interface DifferentialReport {
  readonly runs: number;
  readonly unlisted: readonly Difference[];
  /** How often each listed exception was met. */
  readonly exceptions: ReadonlyMap<string, number>;
  /** Why the embedded engine refused, and how often. */
  readonly refusals: ReadonlyMap<string, number>;
  /** How many requests the embedded engine answered with hits, answered with none, and refused. */
  readonly answered: { readonly hits: number; readonly none: number; readonly refused: number };
}

export async function runDifferential(options: DifferentialOptions): Promise<DifferentialReport> {
  const engines = await Engines.open(options.node);
  try {
    return await new DifferentialRun(engines, options).run();
  } finally {
    await engines.close();
  }
}

interface Seen extends Mismatch {
  readonly run: number;
  readonly request: RequestBody;
  /** The listed exception that excuses it. */
  readonly exception?: string;
}

class DifferentialRun {
  private readonly found = new Map<string, Difference>();
  private readonly signatures = new Set<string>();
  private readonly exceptions = new Map<string, number>();
  private readonly refusals = new Map<string, number>();
  private readonly answered = { hits: 0, none: 0, refused: 0 };
  private freshCount = 0;
  private runCount = 0;

  constructor(
    private readonly engines: Engines,
    private readonly options: DifferentialOptions,
  ) {}

  async run(): Promise<DifferentialReport> {
    const { only, runs, maxDifferences, onProgress } = this.options;
    const first = only === undefined ? 0 : Math.floor(only / RUNS_PER_WORLD);
    const last = only === undefined ? Math.ceil(runs / RUNS_PER_WORLD) : first + 1;
    for (let number = first; number < last && this.found.size < maxDifferences; number += 1) {
      await this.runWorld(number);
      onProgress?.(
        `${this.runCount} runs, ${this.found.size} kinds of unlisted differences, ${JSON.stringify(this.answered)}`,
      );
    }
    const { exceptions, refusals, answered } = this;
    return {
      runs: this.runCount,
      unlisted: [...this.found.values()],
      exceptions,
      refusals,
      answered,
    };
  }

  private async runWorld(number: number): Promise<void> {
    const { seed, only, runs } = this.options;
    const world = new World(this.engines, seed, number);
    const base = number * RUNS_PER_WORLD;
    const end = only === undefined ? Math.min(base + RUNS_PER_WORLD, runs) : only + 1;
    await this.noteWrites(await world.open(), world, base);
    for (let start = base; start < end; start += RUNS_PER_CHANGE) {
      if (start > base) await this.noteWrites(await world.change(), world, start);
      const count = Math.min(RUNS_PER_CHANGE, end - start);
      const numbers = Array.from({ length: count }, (_, at) => start + at).filter(
        (run) => only === undefined || run === only,
      );
      for (let at = 0; at < numbers.length; at += AT_ONCE) {
        const batch = numbers.slice(at, at + AT_ONCE);
        const seen = await Promise.all(batch.map((run) => this.one(world, run)));
        for (const each of seen) if (each !== undefined) await this.note(world, each);
      }
    }
    await world.close();
  }

  private async one(world: World, run: number): Promise<Seen | undefined> {
    const request = randomSearch(world.mapping, new Chance(this.options.seed, 2, run));
    this.runCount += 1;
    const answers = await world.ask(request);
    this.tally(answers.embedded);
    const seen = decide(answers, request, world);
    return seen === undefined ? undefined : { ...seen, run, request };
  }

  private tally(answer: Answer): void {
    if (answer.isRefused) {
      this.answered.refused += 1;
      const reason = answer.reason.replace(/\bat [\w.[\]$]+|"[^"]*"|\d+/g, '');
      this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
    } else if (answer.outcome.total === 0) this.answered.none += 1;
    else this.answered.hits += 1;
  }

  private async noteWrites(mismatches: readonly WriteMismatch[], world: World, run: number): Promise<void> {
    for (const { operation, ...mismatch } of mismatches) {
      const signature = JSON.stringify(mismatch).replace(/\d+|\\"[^"]*\\"/g, '');
      const seen = { ...mismatch, run, request: { operation: operation as JsonObject } };
      if (!this.signatures.has(signature)) await this.report(world, seen, signature);
    }
  }

  private async note(world: World, seen: Seen): Promise<void> {
    const { exception } = seen;
    if (exception !== undefined) {
      this.exceptions.set(exception, (this.exceptions.get(exception) ?? 0) + 1);
      this.options.onException?.(exception, seen, seen.run);
      return;
    }
    const signature = signatureOf(seen, seen.request);
    if (this.signatures.has(signature)) return;
    this.signatures.add(signature);
    const small = this.options.shrinks ? await this.shrink(world, seen) : seen;
    await this.report(world, small, signatureOf(small, small.request));
  }

  private async report(world: World, seen: Seen & Partial<Difference>, signature: string): Promise<void> {
    if (this.found.has(signature)) return;
    this.signatures.add(signature);
    const difference: Difference = {
      mapping: await world.mappingNow(),
      documents: await world.documents(),
      isSeenAfresh: true,
      ...seen,
      seed: this.options.seed,
    };
    this.found.set(signature, difference);
    this.options.onDifference?.(difference);
  }

  private async shrink(world: World, seen: Seen): Promise<Seen & Partial<Difference>> {
    const isSame = (again: Omit<Seen, 'run' | 'request'> | undefined): boolean =>
      again !== undefined &&
      again.exception === undefined &&
      family(again) === family(seen) &&
      reasons(again) === reasons(seen);
    const askWorld = async (body: RequestBody) => decide(await world.ask(body), body, world);
    const request = await shrinkJson(seen.request, async (less) => isSame(await askWorld(less)), 150);
    const mapping = await world.mappingNow();
    const all = await world.documents();
    const askFresh = (documents: Difference['documents']) => this.askFresh(world, mapping, documents, request);
    if (!isSame(await askFresh(all))) return { ...seen, ...(await askWorld(request)), request, isSeenAfresh: false };
    const documents = await shrinkList(all, async (fewer) => isSame(await askFresh(fewer)), 14);
    return { ...seen, ...(await askFresh(documents)), request, mapping, documents };
  }

  private async askFresh(
    world: World,
    mapping: JsonObject,
    documents: Difference['documents'],
    request: RequestBody,
  ): Promise<Omit<Seen, 'run' | 'request'> | undefined> {
    this.freshCount += 1;
    const name: CollectionName = { index: 'fresh', collection: `f${this.freshCount}` };
    for (const engine of this.engines.both) {
      await engine.createCollection(name, parseMapping(mapping));
      await engine.write(
        documents.map(({ id, source }) => ({ ...name, id, source, kind: 'put', condition: 'any' })),
        true,
      );
    }
    const seen = decide(await this.engines.ask(name, request), request, world);
    for (const engine of this.engines.both) await engine.deleteCollection(name);
    return seen;
  }
}

/** The first mismatch that no exception lists, or else the first listed one. */
function decide(
  { embedded, elasticsearch }: Answers,
  request: RequestBody,
  { mapping: { body: mapping }, isChanged }: World,
): Omit<Seen, 'run' | 'request'> | undefined {
  let listed: Omit<Seen, 'run' | 'request'> | undefined;
  for (const mismatch of compareAnswers(embedded, elasticsearch, { request, mapping, isChanged })) {
    const exception = LISTED_EXCEPTIONS.find((each) => each.applies({ ...mismatch, request, mapping }));
    if (exception === undefined) return mismatch;
    listed ??= { ...mismatch, exception: exception.name };
  }
  return listed;
}

/** Mismatches of one signature count as one: the same kind, and the same reason or the same constructs in the request. */
function signatureOf(mismatch: Mismatch, request: RequestBody): string {
  return JSON.stringify([mismatch.kind.replace(/\d+/g, ''), reasons(mismatch) || constructs(request)]);
}

/** Reasons of refusals, without names and numbers. */
function reasons({ left, right }: Mismatch): string {
  return [left, right]
    .filter((each) => typeof each === 'string')
    .map((text) => text.replace(/\bat [\w.[\]]+|"[^"]*"|\[[^\]]*\]|\d+/g, ''))
    .join(' | ');
}

/** Kinds that turn into one another while a request shrinks. */
function family({ kind }: Mismatch): string {
  if (kind.startsWith('aggregations')) return 'aggregations';
  return /^(hits|total|hit count)$/.test(kind) ? 'hits' : kind;
}

/** Names of the queries, aggregations and options in a request, without fields. */
function constructs(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const keys = Object.keys(value).filter((key) => /^[a-z_]+$/.test(key));
  return [...new Set([...keys, ...Object.values(value).map(constructs)])].join(' ').trim();
}
