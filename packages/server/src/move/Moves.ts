import {
  apiErrors,
  coreErrors,
  showValue,
  withoutLogins,
  type Clock,
  type CollectionName,
  type CopyableEngine,
  type Lifecycle,
  type Logger,
} from '@millrace/kernel';
import { compareEngines } from './compareEngines.js';
import type { EngineFile, MovedTo } from './EngineFile.js';
import { holdFor } from './holdFor.js';
import { MirroredWrites } from './MirroredWrites.js';
import { MoveCollections } from './MoveCollections.js';
import { MoveProgress } from './MoveProgress.js';
import { MoveRun } from './MoveRun.js';
import type { MoveRequest, MoveState } from './MoveState.js';
import type { MovingEngine } from './MovingEngine.js';
import { takeTarget } from './takeTarget.js';
import { WriteGate } from './WriteGate.js';
import { WriteIntents } from './WriteIntents.js';

/** The dependencies of `Moves`. */
export interface MovesParts {
  readonly engine: MovingEngine;
  readonly file: EngineFile;
  readonly internalIndex: string;
  /** `storage.elasticsearch` of the configuration; `node` may have a password. */
  readonly config: { readonly node: string; readonly prefix: string };
  /** Creates the engine of the configured address. */
  readonly open: () => Promise<CopyableEngine>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Elasticsearch in use. */
interface Moved {
  readonly elasticsearch: CopyableEngine;
  readonly writes: MirroredWrites;
  readonly gate: WriteGate;
}

const RESOLVE_WITHIN_MS = 5_000;
const NOT_CONFIGURED = 'No Elasticsearch is configured: set storage.elasticsearch.node, and restart the server';

/** The storage engine of a server that may move between the embedded engine and Elasticsearch while it runs. */
export class Moves implements Lifecycle {
  private readonly collections: MoveCollections;
  private readonly intents: WriteIntents;
  private moved: Moved | undefined;
  /** Left open for the scrolls that still read from it. */
  private former: CopyableEngine | undefined;
  private readonly progress = new MoveProgress();
  private running: Promise<void> | undefined;
  private isStopping = false;

  constructor(private readonly parts: MovesParts) {
    this.collections = new MoveCollections(parts.internalIndex);
    this.intents = new WriteIntents(parts.engine.embedded, this.collections.intents);
  }

  /** Starts the engine, and Elasticsearch if the data has moved there. @throws storage.unavailable */
  async start(): Promise<void> {
    const { engine, file, log } = this.parts;
    await engine.start();
    const moved = file.read();
    if (moved === undefined) return;
    const elasticsearch = await this.parts.open();
    await elasticsearch.start();
    const next = this.mirror(elasticsearch);
    try {
      await next.writes.start();
    } catch (error) {
      await elasticsearch.stop();
      throw error;
    }
    this.use(next);
    log.info(
      { node: moved.node, file: file.path },
      'the documents are in Elasticsearch, with a copy in the data folder: set storage.engine to "elasticsearch" to keep them there, or run "millrace move --to sqlite" to go back',
    );
  }

  /** Ends a running move; an incomplete one changes nothing. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.running;
    this.moved?.writes.end();
    await this.moved?.elasticsearch.stop();
    await this.former?.stop();
    await this.parts.engine.stop();
  }

  /** The engine in use, and the last move. */
  get current(): MoveState {
    return {
      engine: this.moved === undefined ? 'sqlite' : 'elasticsearch',
      ...this.progress.current,
    };
  }

  /**
   * Begins a move.
   * @returns its outcome; rejects if it fails
   * @throws core.move_running, core.move_refused, api.invalid_argument
   */
  begin(request: MoveRequest): Promise<void> {
    const { clock, log } = this.parts;
    const { to, verifyOnly } = request;
    if (this.running !== undefined) throw coreErrors.move_running({ to: this.progress.current.to ?? to });
    const run = this.plan(request);
    const startedAt = clock.nowMs();
    this.progress.begin({ state: 'copying', to, verifyOnly, startedAt, documents: 0 });
    const ended = run().finally(() => {
      this.running = undefined;
    });
    const done = ended.then(
      () => {
        this.progress.report({ state: 'complete', endedAt: clock.nowMs() });
        log.info({ ...this.current }, 'the move is complete');
      },
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.progress.report({ state: 'failed', endedAt: clock.nowMs(), reason });
        log.error({ to, reason }, 'the move failed: the server goes on as before');
        throw error;
      },
    );
    this.running = done.catch(() => undefined);
    return done;
  }

  /** @throws core.move_refused, api.invalid_argument */
  private plan({ to, node, verifyOnly }: MoveRequest): () => Promise<void> {
    const { moved } = this;
    if (node !== '') this.assertConfigured(node);
    if (to === 'sqlite') {
      if (moved === undefined) throw refused('The documents are in the embedded engine already');
      return () => (verifyOnly ? this.compareMoved(moved) : this.moveBack(moved));
    }
    if (moved !== undefined) {
      if (!verifyOnly) throw refused('The documents are in Elasticsearch already');
      return () => this.compareMoved(moved);
    }
    if (this.parts.config.node === '') throw refused(NOT_CONFIGURED);
    return () => this.moveTo(verifyOnly);
  }

  /** Callers don't choose where all documents and the configured password are sent (MOVE-8). @throws api.invalid_argument */
  private assertConfigured(node: string): void {
    const configured = withoutLogins(this.parts.config.node);
    if (node === configured) return;
    const address = configured === '' ? 'which is empty' : JSON.stringify(configured);
    throw apiErrors.invalid_argument({
      name: 'node',
      value: showValue(node),
      expected: `the address of storage.elasticsearch.node in the configuration (${address})`,
    });
  }

  private async moveTo(verifyOnly: boolean): Promise<void> {
    const target = await this.parts.open();
    await this.former?.stop();
    this.former = undefined;
    await target.start();
    const { engine, config } = this.parts;
    const { collections } = this;
    const run = new MoveRun({
      engine,
      target,
      collections,
      assertGoingOn: () => {
        if (this.isStopping) throw new Error('the server is stopped');
        if (this.progress.current.state === 'copying') this.progress.report({ documents: run.copy.documents });
      },
      onCompared: (documents) => {
        this.progress.report({ documents });
      },
    });
    let isKept = false;
    try {
      await takeTarget(target, collections, engine.changeLog.epoch, config.prefix);
      void this.progress.count(this.parts.engine.embedded, this.names());
      await run.copyAll();
      this.progress.report({ state: 'comparing', documents: 0 });
      this.progress.accept(await run.compare());
      if (verifyOnly) return;
      this.progress.report({ state: 'switching' });
      await this.switch(run, target);
      isKept = true;
    } finally {
      if (!isKept) {
        run.abandon();
        await target.stop();
      }
    }
  }

  private async switch(run: MoveRun, target: CopyableEngine): Promise<void> {
    const { file, config, clock } = this.parts;
    await this.intents.dropCollection();
    const next = this.mirror(target);
    await next.writes.start();
    const moved: MovedTo = {
      phase: 'moved',
      node: withoutLogins(config.node),
      prefix: config.prefix,
      movedAt: clock.nowMs(),
    };
    try {
      const heldMs = await run.switch(async () => {
        await file.write(moved);
        this.use(next);
      });
      this.progress.report({ heldMs: Math.round(heldMs) });
    } catch (error) {
      next.writes.end();
      await file.remove();
      throw error;
    }
  }

  private async moveBack(moved: Moved): Promise<void> {
    const { engine, file } = this.parts;
    this.progress.report({ state: 'switching' });
    const heldMs = await holdFor(moved.gate, {
      prepare: () => moved.writes.resolveWithin(RESOLVE_WITHIN_MS),
      complete: async () => true,
      flip: async () => {
        await file.remove();
        moved.writes.end();
        engine.stay();
        this.moved = undefined;
      },
    });
    this.progress.report({ heldMs: Math.round(heldMs) });
    this.former = moved.elasticsearch;
    await this.intents.dropCollection();
  }

  private async compareMoved({ elasticsearch, writes }: Moved): Promise<void> {
    this.progress.report({ state: 'comparing' });
    void this.progress.count(this.parts.engine.embedded, this.names());
    const { embedded } = this.parts.engine;
    const comparison = await compareEngines({
      left: embedded,
      right: elasticsearch,
      names: this.names(),
      isChanging: (name, id) => writes.isChanging(name, id),
      onProgress: (documents) => {
        if (this.isStopping) throw new Error('the server is stopped');
        this.progress.report({ documents });
      },
    });
    this.progress.accept(comparison);
  }

  private mirror(elasticsearch: CopyableEngine): Moved {
    const { engine, log } = this.parts;
    const gate = new WriteGate();
    const writes = new MirroredWrites({
      elasticsearch,
      embedded: engine.embedded,
      intents: this.intents,
      isOwn: (name) => this.collections.isOwn(name),
      gate,
      current: engine,
      log,
    });
    return { elasticsearch, writes, gate };
  }

  private use(moved: Moved): void {
    this.moved = moved;
    this.parts.engine.switchTo(moved.elasticsearch, moved.writes);
  }

  private names(): readonly CollectionName[] {
    const { embedded } = this.parts.engine;
    const all = embedded
      .listIndexes()
      .flatMap((index) => embedded.listCollections(index).map((collection) => ({ index, collection })));
    return all.filter((name) => !this.collections.isOwn(name));
  }
}

function refused(reason: string): Error {
  return coreErrors.move_refused({ reason });
}
