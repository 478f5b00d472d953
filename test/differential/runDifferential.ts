/*
 * The differential test: random requests to random collections, on both engines and at times raw on the server. Run N of
 * a seed is always the same, whatever ran before: worlds and requests are drawn from (seed, number).
 */
import type { CollectionName, JsonObject } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import type { Answer, Answers, Mismatch, RequestBody } from './Answer.js';
import { Chance } from './Chance.js';
import { compareAnswers, compareValues } from './compareAnswers.js';
import { compareUpkeep } from './compareUpkeep.js';
import { apartByWord } from './apartByWord.js';
import type { Difference } from './Difference.js';
import { LISTED_EXCEPTIONS } from './listedExceptions.js';
import { randomSearch } from './randomSearch.js';
import { refusedPart } from './refusedPart.js';
import { shrinkJson, shrinkList } from './shrink.js';
import { Sides } from './Sides.js';
import { inOwnFields, inUnindexedFields, withMinimumInQuery } from './withoutServerOwn.js';
import { World, type WriteMismatch } from './World.js';

const RUNS_PER_WORLD = 100;
const RUNS_PER_CHANGE = 25;
const AT_ONCE = 5;
const RAW_EVERY = 4;

export interface DifferentialOptions {
  /** Address of the server. */
  readonly node: string;
  readonly seed: number;
  readonly runs: number;
  /** This run alone, with the changes that came before it. */
  readonly only?: number;
  /** Stops after so many unlisted differences of different kinds. */
  readonly maxDifferences: number;
  readonly shrinks: boolean;
  readonly onProgress?: (line: string) => void;
  readonly onDifference?: (difference: Difference) => void;
  /** For each difference that a listed exception lets pass. */
  readonly onException?: (name: string, seen: Mismatch, run: number) => void;
}

export interface DifferentialReport {
  readonly runs: number;
  readonly unlisted: readonly Difference[];
  /** How often each listed exception was met. */
  readonly exceptions: ReadonlyMap<string, number>;
  /** Why the embedded engine refused, and how often. */
  readonly refusals: ReadonlyMap<string, number>;
  /** How many requests both sides answered with hits, answered with none, and refused. */
  readonly answered: { readonly hits: number; readonly none: number; readonly refused: number };
}

export async function runDifferential(options: DifferentialOptions): Promise<DifferentialReport> {
  const sides = await Sides.open(options.node);
  try {
    return await new DifferentialRun(sides, options).run();
  } finally {
    await sides.close();
  }
}

type SidesName = Difference['sides'];

class DifferentialRun {
  private readonly found = new Map<string, Difference>();
  private readonly counts = new Map<string, number>();
  private readonly exceptions = new Map<string, number>();
  private readonly answered = { hits: 0, none: 0, refused: 0 };
  private readonly refusals = new Map<string, number>();
  private freshCount = 0;
  private runCount = 0;

  constructor(
    private readonly sides: Sides,
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
    return {
      runs: this.runCount,
      unlisted: [...this.found.values()],
      exceptions: this.exceptions,
      answered: this.answered,
      refusals: this.refusals,
    };
  }

  private async runWorld(number: number): Promise<void> {
    const { seed, only, runs } = this.options;
    const world = new World(this.sides, seed, number);
    const base = number * RUNS_PER_WORLD;
    this.noteWrites(await world.open(), world, base);
    for (
      let start = base;
      start < Math.min(base + RUNS_PER_WORLD, only === undefined ? runs : only + 1);
      start += RUNS_PER_CHANGE
    ) {
      if (start > base) this.noteWrites(await world.change(), world, start);
      const end = Math.min(start + RUNS_PER_CHANGE, only === undefined ? runs : only + 1);
      const numbers = Array.from({ length: end - start }, (_, at) => start + at).filter(
        (run) => only === undefined || run === only,
      );
      for (let at = 0; at < numbers.length; at += AT_ONCE) {
        const batch = numbers.slice(at, at + AT_ONCE);
        const mismatches = await Promise.all(batch.map((run) => this.one(world, run)));
        for (const found of mismatches) if (found !== undefined) await this.note(world, found);
      }
    }
    await world.close();
  }

  private async one(world: World, run: number): Promise<Seen | undefined> {
    const chance = new Chance(this.options.seed, 2, run);
    const request = randomSearch(world.mapping, chance);
    this.runCount += 1;
    const seen = await compare(
      world,
      world.mapping.body,
      request,
      run % RAW_EVERY === 0 || this.options.only !== undefined,
      (answer) => this.tally(answer),
    );
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

  private async note(world: World, seen: Seen): Promise<void> {
    const { exception } = seen;
    if (exception !== undefined) {
      this.exceptions.set(exception, (this.exceptions.get(exception) ?? 0) + 1);
      this.options.onException?.(exception, seen, seen.run);
      return;
    }
    const known = this.signature(seen, seen.request);
    if (this.count(known) > 1) return;
    const difference = this.options.shrinks
      ? await this.shrink(world, seen)
      : await plain(world, seen, this.options.seed);
    const key = this.signature(difference, difference.request as RequestBody);
    if (key !== known && this.count(key) > 1) return;
    this.found.set(key, difference);
    this.options.onDifference?.(difference);
  }

  private count(key: string): number {
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return count;
  }

  /** Differences of one signature are taken for one: the kind, and the constructs in the request. */
  private signature(
    { kind, sides, left, right }: Pick<Seen, 'kind' | 'sides' | 'left' | 'right'>,
    request: RequestBody,
  ): string {
    const texts = reasons({ left, right });
    return JSON.stringify([
      sides,
      kind.replace(/\d+/g, ''),
      texts === '' ? constructs(request) : texts,
    ]);
  }

  private noteWrites(mismatches: readonly WriteMismatch[], world: World, run: number): void {
    for (const { kind, left, right, operation } of mismatches) {
      const seen = { kind, left, right, sides: 'embedded, server' as const };
      const listed = exceptionOf({
        ...seen,
        request: operation as JsonObject,
        mapping: world.mapping.body,
      });
      if (listed !== undefined) {
        this.exceptions.set(listed, (this.exceptions.get(listed) ?? 0) + 1);
        continue;
      }
      const key = JSON.stringify([
        kind,
        JSON.stringify([left, right]).replace(/\d+|\\"[^"]*\\"/g, ''),
      ]);
      if (this.count(key) > 1) continue;
      const { seed } = this.options;
      const difference: Difference = {
        ...seen,
        seed,
        run,
        request: operation,
        mapping: world.mapping.body,
        documents: [],
        isSeenAfresh: true,
      };
      this.found.set(key, difference);
      this.options.onDifference?.(difference);
    }
  }

  private async shrink(world: World, seen: Seen): Promise<Difference> {
    const isSame = (again: Awaited<ReturnType<typeof compare>>): boolean =>
      again !== undefined &&
      again.exception === undefined &&
      again.sides === seen.sides &&
      family(again) === family(seen) &&
      sameTexts(again, seen);
    const { body } = world.mapping;
    const withRaw = seen.sides === 'embedded, raw server';
    const request = await shrinkJson(
      seen.request,
      async (smaller) => isSame(await compare(world, body, smaller, withRaw)),
      150,
    );
    const mapping = await world.mappingNow();
    const all = await world.documents();
    const afresh = async (documents: Difference['documents']) =>
      this.afresh(mapping, documents, request, withRaw);
    const isSeenAfresh = isSame(await afresh(all));
    const documents = isSeenAfresh
      ? await shrinkList(all, async (fewer) => isSame(await afresh(fewer)), 14)
      : all;
    const last =
      (isSeenAfresh ? await afresh(documents) : await compare(world, body, request, withRaw)) ??
      seen;
    return {
      ...last,
      seed: this.options.seed,
      run: seen.run,
      request,
      mapping,
      documents,
      isSeenAfresh,
    };
  }

  private async afresh(
    mapping: JsonObject,
    documents: Difference['documents'],
    request: RequestBody,
    withRaw: boolean,
  ): ReturnType<typeof compare> {
    this.freshCount += 1;
    const name: CollectionName = { index: 'fresh', collection: `f${this.freshCount}` };
    for (const engine of this.sides.both) {
      await engine.createCollection(name, parseMapping(mapping));
      await engine.write(
        documents.map(({ id, source }) => ({ ...name, id, source, kind: 'put', condition: 'any' })),
        true,
      );
    }
    const ask = async (body: RequestBody, raw: boolean): Promise<Answers> => {
      const [embedded, distributed] = await Promise.all([
        this.sides.ask(name, body, 'embedded'),
        this.sides.ask(name, body, 'distributed'),
      ]);
      return {
        embedded,
        distributed,
        raw: raw ? await this.sides.askRaw(name, body) : undefined,
        upkept: undefined,
      };
    };
    const seen = await compare({ ask }, mapping, request, withRaw);
    for (const engine of this.sides.both) await engine.deleteCollection(name);
    return seen;
  }
}

interface Seen extends Mismatch {
  readonly sides: SidesName;
  /** Name of the listed exception that lets it pass. */
  readonly exception?: string;
  readonly run: number;
  readonly request: RequestBody;
}

type SidedMismatch = Mismatch & { readonly sides: SidesName };

/** The first point where two sides part that no exception lists, else the first that one does. */
async function compare(
  world: Pick<World, 'ask'>,
  mapping: JsonObject,
  request: RequestBody,
  withRaw: boolean,
  onAnswer?: (answer: Answer) => void,
): Promise<(SidedMismatch & { readonly exception?: string }) | undefined> {
  const answers = await world.ask(request, withRaw);
  const { embedded } = answers;
  onAnswer?.(embedded);
  const isPassed = async (side: 'distributed' | 'raw') =>
    embedded.isRefused && (await isPassedOver(world, request, embedded.reason, side));
  let isSameApart: boolean | undefined;
  let listed: (SidedMismatch & { readonly exception: string }) | undefined;
  for (const mismatch of allMismatches(answers, request)) {
    const { sides } = mismatch;
    const isPartRefused =
      sides !== 'embedded, embedded after changes' &&
      (await isPassed(sides === 'embedded, server' ? 'distributed' : 'raw'));
    if (/score|^inner_hits$|^sort values$|^total$/.test(mismatch.kind))
      isSameApart ??= await isSameByWord(world, mapping, request, withRaw);
    const seen = {
      ...mismatch,
      ...(sides === 'embedded, raw server'
        ? await ownOfServer(world, mapping, request, mismatch, embedded)
        : {}),
      isPartRefused,
      ...(isSameApart === undefined ? {} : { isSameApart }),
    };
    const exception = exceptionOf({ ...seen, request, mapping });
    if (exception === undefined) return seen;
    listed ??= { ...seen, exception };
  }
  return listed;
}

function* allMismatches(
  { embedded, distributed, raw, upkept }: Answers,
  request: RequestBody,
): Generator<SidedMismatch, void> {
  const page = { from: Number(request['from'] ?? 0), size: Number(request['size'] ?? 10) };
  const of = function* (found: Iterable<Mismatch>, sides: SidesName) {
    for (const mismatch of found) yield { ...mismatch, sides };
  };
  yield* of(compareAnswers(embedded, distributed, page), 'embedded, server');
  if (upkept !== undefined) {
    const drift = compareUpkeep(embedded, upkept, request, page);
    yield* of(drift, 'embedded, embedded after changes');
  }
  if (raw === undefined || (embedded.isRefused && raw.isRefused)) return;
  yield* of(compareAnswers(embedded, raw, page), 'embedded, raw server');
}

/** Whether the server refuses the part that is refused here once there is something to find by it. */
async function isPassedOver(
  world: Pick<World, 'ask'>,
  request: RequestBody,
  reason: string,
  side: 'distributed' | 'raw',
): Promise<boolean> {
  const part = refusedPart(request, reason);
  if (part === undefined) return false;
  if ((await world.ask(part, true))[side]?.isRefused === true) return true;
  // Of a field that no document has it reads no bounds of a range, and a pattern of fields passes it over.
  const [, named, below] =
    /Invalid (?:range on|value for) "([^"]+)"|of range at \S*range\.(\S+) must/.exec(reason) ?? [];
  const field = named ?? below;
  if (field === undefined) return false;
  const having = (await world.ask({ size: 0, query: { exists: { field } } }, true))[side];
  return having?.isRefused === false && having.outcome.total === 0;
}

/** What the raw server adds of its own, as far as it may explain a mismatch. */
async function ownOfServer(
  world: Pick<World, 'ask'>,
  mapping: JsonObject,
  request: RequestBody,
  { kind }: Mismatch,
  embedded: Answer,
): Promise<Pick<Mismatch, 'isFoundByMetadata' | 'isFoundUnindexed' | 'isSameByMinimum'>> {
  const ask = async (body: RequestBody | undefined) =>
    body === undefined ? undefined : (await world.ask(body, true)).raw;
  const finds = async (body: RequestBody | undefined) => {
    const found = await ask(body);
    return found?.isRefused === false && found.outcome.total > 0;
  };
  const found = {
    isFoundByMetadata: await finds(inOwnFields(request)),
    isFoundUnindexed: await finds(inUnindexedFields(request, mapping)),
  };
  const same = kind.startsWith('aggregations') ? await ask(withMinimumInQuery(request)) : undefined;
  if (embedded.isRefused || same === undefined || same.isRefused) return found;
  const [left = {}, right = {}] = [embedded, same].map(({ outcome }) => outcome.aggregations);
  const parted = compareValues(left, right, 'aggregations').next();
  return { ...found, isSameByMinimum: parted.done === true };
}

/** Whether nothing unlisted is left once no term is found by several words; false where none can be. */
async function isSameByWord(
  world: Pick<World, 'ask'>,
  mapping: JsonObject,
  request: RequestBody,
  withRaw: boolean,
): Promise<boolean> {
  const apart = apartByWord(request);
  if (apart === undefined) return false;
  const seen = await compare(world, mapping, apart, withRaw);
  return seen === undefined || seen.exception !== undefined;
}

async function plain(world: World, seen: Seen, seed: number): Promise<Difference> {
  return {
    ...seen,
    seed,
    mapping: await world.mappingNow(),
    documents: await world.documents(),
    isSeenAfresh: true,
  };
}

function exceptionOf(
  seen: Parameters<(typeof LISTED_EXCEPTIONS)[number]['applies']>[0],
): string | undefined {
  return LISTED_EXCEPTIONS.find(({ applies }) => applies(seen))?.name;
}

/** A refusal has to stay the same one. */
function sameTexts(a: Mismatch, b: Mismatch): boolean {
  return reasons(a) === reasons(b);
}

function reasons({ left, right }: Pick<Mismatch, 'left' | 'right'>): string {
  const texts = [left, right].filter((each) => typeof each === 'string');
  return texts
    .map((text) => text.replace(/\bat [\w.[\]]+|"[^"]*"|\[[^\]]*\]|\d+/g, ''))
    .join(' | ');
}

/** Kinds that turn into one another while a request shrinks. */
function family({ kind }: Mismatch): string {
  if (kind.startsWith('aggregations')) return 'aggregations';
  if (/score|^hits$|^sort values$/.test(kind)) return 'order';
  return kind;
}

/** Names of the queries, aggregations and options in a request, without fields. */
function constructs(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null || depth > 12) return '';
  const keys = Array.isArray(value)
    ? []
    : Object.keys(value).filter(
        (key) =>
          /^[a-z_]+$/.test(key) &&
          !/^(text|keyword|long|value|query|size|boost|copies|nowhere|integer)$/.test(key),
      );
  return [
    ...new Set([...keys, ...Object.values(value).map((inner) => constructs(inner, depth + 1))]),
  ]
    .filter((each) => each !== '')
    .join(' ');
}
