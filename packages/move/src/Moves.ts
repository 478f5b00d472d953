import {
  apiErrors,
  coreErrors,
  showValue,
  withoutLogins,
  type Clock,
  type CopyableEngine,
  type Lifecycle,
  type Logger,
} from '@millrace/kernel';
import type { SqliteEngine } from '@millrace/storage-sqlite';
import { AnswersInOrder } from './AnswersInOrder.js';
import { CopyMark } from './CopyMark.js';
import type { EngineFile } from './EngineFile.js';
import type { EngineSwitch } from './EngineSwitch.js';
import { MoveProgress } from './MoveProgress.js';
import type { MoveGoal, MoveRequest, MoveState } from './MoveState.js';

/** The dependencies of `Moves`. */
export interface MovesParts {
  /** Uses `sqlite` at first. */
  readonly inUse: EngineSwitch;
  readonly sqlite: SqliteEngine;
  readonly file: EngineFile;
  readonly internalIndex: string;
  /** `storage.elasticsearch` of the configuration; `node` may have a password. */
  readonly config: { readonly node: string; readonly prefix: string };
  /** Creates the engine of the configured address. */
  readonly openElasticsearch: () => Promise<CopyableEngine>;
  /** Begins another change log in the database, and creates an embedded engine on it. None is started. */
  readonly openSqlite: () => SqliteEngine;
  readonly clock: Clock;
  readonly log: Logger;
}

const NAMES: Readonly<Record<MoveGoal, string>> = { sqlite: 'the embedded engine', elasticsearch: 'Elasticsearch' };
const NOT_CONFIGURED = 'No Elasticsearch is configured: set storage.elasticsearch.node, and restart the server';

/** The storage engine of a server that may move between the embedded engine and Elasticsearch while it runs. */
export class Moves implements Lifecycle {
  private readonly mark: CopyMark;
  private readonly answers = new AnswersInOrder();
  private readonly progress = new MoveProgress();
  private place: MoveGoal = 'sqlite';
  /** Always started: it locks the data folder, and scrolls may still read from it after a move. */
  private sqlite: SqliteEngine;
  /** Undefined if it is not started. */
  private elasticsearch: CopyableEngine | undefined;
  private running: Promise<void> | undefined;
  private isStopping = false;
  /** Of the last move. */
  private isCancelled = false;
  /** The last move has begun to note that the documents are elsewhere. */
  private isPastCancelling = false;

  constructor(private readonly parts: MovesParts) {
    this.sqlite = parts.sqlite;
    this.mark = new CopyMark(parts.internalIndex);
  }

  /** Starts the engine, and Elasticsearch if the data has moved there. @throws storage.unavailable */
  async start(): Promise<void> {
    const { file, log } = this.parts;
    await this.sqlite.start();
    const moved = file.read();
    if (moved === undefined) return;
    try {
      const elasticsearch = await this.startElasticsearch();
      await this.mark.remove(elasticsearch);
      this.settleIn('elasticsearch');
      this.parts.inUse.use(elasticsearch);
    } catch (error) {
      await this.stop();
      throw error;
    }
    log.info(
      { node: moved.node, file: file.path },
      'the documents are in Elasticsearch: set storage.engine to "elasticsearch" to keep them there, or run "millrace move --to sqlite" to move them back',
    );
  }

  /** Ends a running move; an incomplete one changes nothing. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.running;
    await this.elasticsearch?.stop();
    await this.sqlite.stop();
  }

  /** The engine in use, and the last move. */
  get current(): MoveState {
    return { engine: this.place, ...this.progress.current };
  }

  /** The embedded engine; undefined while the documents are elsewhere. */
  get embedded(): SqliteEngine | undefined {
    return this.place === 'sqlite' ? this.sqlite : undefined;
  }

  /**
   * Begins a move.
   * @returns its outcome; rejects if it fails
   * @throws core.move_running, core.move_refused, api.invalid_argument
   */
  begin({ to, node, verifyOnly }: MoveRequest): Promise<void> {
    const { clock, log } = this.parts;
    if (this.running !== undefined) throw coreErrors.move_running({ to: this.progress.current.to ?? to });
    this.assertPossible(to, node);
    this.isCancelled = this.isPastCancelling = false;
    const startedAt = clock.nowMs();
    this.progress.begin({ state: 'copying', to, verifyOnly, startedAt, documents: 0 });
    const ended = this.move(to, verifyOnly).finally(() => {
      this.running = undefined;
    });
    const done = ended.then(
      () => {
        this.progress.report({ state: 'complete', endedAt: clock.nowMs() });
        log.info({ ...this.current }, 'the move is complete');
      },
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        if (this.isCancelled) {
          this.progress.report({ state: 'cancelled', endedAt: clock.nowMs() });
          log.info({ to }, 'the move was cancelled: the server goes on as before');
        } else {
          this.progress.report({ state: 'failed', endedAt: clock.nowMs(), reason });
          log.error({ to, reason }, 'the move failed: the server goes on as before');
        }
        throw error;
      },
    );
    this.running = done.catch(() => undefined);
    return done;
  }

  /** Ends a running move, which changes nothing, and resolves when it has ended. @throws core.move_not_cancelled */
  async cancel(): Promise<void> {
    if (this.running === undefined) throw coreErrors.move_not_cancelled({ reason: 'none is running' });
    if (this.isPastCancelling) throw coreErrors.move_not_cancelled({ reason: 'the engines are being switched' });
    this.isCancelled = true;
    await this.running;
  }

  /** @throws core.move_refused, api.invalid_argument */
  private assertPossible(to: MoveGoal, node: string): void {
    if (node !== '') this.assertConfigured(node);
    if (to === this.place) throw coreErrors.move_refused({ reason: `The documents are in ${NAMES[to]} already` });
    if (this.parts.config.node === '') throw coreErrors.move_refused({ reason: NOT_CONFIGURED });
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

  private async move(to: MoveGoal, verifyOnly: boolean): Promise<void> {
    // Most servers never move.
    const { MoveRun } = await import('./MoveRun.js');
    const source = this.engineAt(this.place);
    const target = await (to === 'elasticsearch' ? this.startElasticsearch() : this.startSqlite());
    const { inUse, config } = this.parts;
    const { answers, progress } = this;
    const isOwn = this.mark.isOwn.bind(this.mark);
    const assertGoingOn = () => {
      if (this.isStopping) throw new Error('the server is stopped');
      if (this.isCancelled) throw new Error('the move is cancelled');
      if (progress.current.state === 'copying') progress.report({ documents: run.copy.documents });
    };
    const onCompared = (documents: number) => progress.report({ documents });
    const run = new MoveRun(inUse, source, target, answers, isOwn, assertGoingOn, onCompared);
    let isSwitched = false;
    try {
      if (to === 'elasticsearch') await this.mark.take(target, this.sqlite.changeLog.epoch, config.prefix);
      void progress.count(source, isOwn);
      await run.copyAll();
      progress.report({ state: 'comparing', documents: 0 });
      progress.accept(await run.compare(), NAMES[to]);
      if (verifyOnly) return;
      progress.report({ state: 'switching' });
      const heldMs = await run.switch(() => this.persist(to));
      isSwitched = true;
      progress.report({ heldMs: Math.round(heldMs) });
    } finally {
      if (!isSwitched) {
        run.abandon();
        if (to === 'elasticsearch') await this.stopElasticsearch();
      }
    }
    if (to === 'elasticsearch') await this.removeMark(target);
  }

  private engineAt(place: MoveGoal): CopyableEngine {
    const { sqlite, elasticsearch } = this;
    return place === 'elasticsearch' && elasticsearch !== undefined ? elasticsearch : sqlite;
  }

  private async startElasticsearch(): Promise<CopyableEngine> {
    await this.stopElasticsearch();
    const elasticsearch = await this.parts.openElasticsearch();
    await elasticsearch.start();
    return (this.elasticsearch = elasticsearch);
  }

  private async stopElasticsearch(): Promise<void> {
    const { elasticsearch } = this;
    this.elasticsearch = undefined;
    await elasticsearch?.stop();
  }

  /** Empties the database: its documents are those of before the last move. */
  private async startSqlite(): Promise<SqliteEngine> {
    await this.sqlite.stop();
    const sqlite = this.parts.openSqlite();
    this.sqlite = sqlite;
    await sqlite.start();
    for (const index of sqlite.listIndexes()) await sqlite.deleteIndex(index);
    return sqlite;
  }

  /** From now on, a start finds the documents at another place. */
  private async persist(to: MoveGoal): Promise<void> {
    this.isPastCancelling = true;
    const { file, config, clock } = this.parts;
    if (to === 'sqlite') {
      await this.mark.put(this.engineAt('elasticsearch'), this.sqlite.changeLog.epoch);
      await file.remove();
    } else {
      const node = withoutLogins(config.node);
      try {
        await file.write({ phase: 'moved', node, prefix: config.prefix, movedAt: clock.nowMs() });
      } catch (error) {
        await file.remove();
        throw error;
      }
    }
    this.settleIn(to);
  }

  private settleIn(place: MoveGoal): void {
    this.place = place;
    // The log of the server knows nothing of the changes from now on. The next start begins another one.
    this.parts.sqlite.changeLog.end();
  }

  /** The move is complete without it: the next start removes the mark too. */
  private async removeMark(elasticsearch: CopyableEngine): Promise<void> {
    try {
      await this.mark.remove(elasticsearch);
    } catch (error) {
      this.parts.log.warn({ err: error }, 'the mark of the copy in Elasticsearch could not be removed');
    }
  }
}
