import { join } from 'node:path';
import type { Lifecycle, Logger } from '@millrace/kernel';
import { DATABASE_NAME, type ExportOutcome } from '@millrace/storage-sqlite';
import type { Backups } from './Backups.js';
import { runInThread } from './runInThread.js';
import { SegmentFolder } from './SegmentFolder.js';

/** How often changes are exported: at most so much is lost with the disk. */
const INTERVAL_MS = 60_000;

/** The dependencies of `ContinuousBackup`. */
export interface ContinuousBackupParts {
  readonly dataDir: string;
  readonly backups: Backups;
  /** Whether the documents are in the engine whose changes are exported. */
  readonly isInUse: () => boolean;
  /** The change log's epoch. */
  readonly epoch: () => string;
  readonly log: Logger;
}

/**
 * Exports the changes of all collections each minute (`backup.continuous`), so that a restore reaches any moment since a
 * backup. Where changes are missing, because they weren't recorded or were removed before their export, it makes a
 * backup to go on from.
 */
export class ContinuousBackup implements Lifecycle {
  private readonly segments: SegmentFolder;
  private timer: NodeJS.Timeout | undefined;
  private tail: Promise<void> = Promise.resolve();
  private isEnded = false;
  /** The last exported position; undefined before the first export. */
  private position: number | undefined;
  private isFirst = true;
  private epoch = '';

  constructor(private readonly parts: ContinuousBackupParts) {
    this.segments = new SegmentFolder(parts.backups.folder.path);
  }

  /** Begins with an export, and doesn't wait for it. */
  async start(): Promise<void> {
    this.epoch = this.parts.epoch();
    this.timer = setInterval(() => void this.export(), INTERVAL_MS).unref();
    void this.export();
  }

  /** Exports the last changes. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    const last = this.export();
    this.isEnded = true;
    await last;
  }

  /** Exports the changes so far. Failures are logged; the next export includes them. */
  export(): Promise<void> {
    if (this.isEnded) return this.tail;
    this.tail = this.tail.then(() =>
      this.exportOnce().catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.parts.log.error({ reason }, 'the changes could not be backed up');
      }),
    );
    return this.tail;
  }

  private async exportOnce(): Promise<void> {
    const { epoch } = this;
    const after = this.position ?? (await this.lastPosition(epoch));
    if (after === undefined) return this.beginAgain();
    const file = join(this.parts.dataDir, DATABASE_NAME);
    const target = await this.segments.begin();
    const { isFirst } = this;
    const changes = { file, target, after, epoch, isFirst };
    const outcome = (await runInThread({ kind: 'changes', changes })) as ExportOutcome;
    if (outcome.kind === 'gap') return this.beginAgain();
    if (outcome.kind === 'exported') await this.segments.complete(epoch, after, outcome.to);
    this.position = outcome.kind === 'exported' ? outcome.to : after;
    this.isFirst = false;
  }

  /** Where the backup and the segments of this log end; undefined if it has none. */
  private async lastPosition(epoch: string): Promise<number | undefined> {
    const backups = await this.parts.backups.folder.list();
    const base = backups.find((each) => each.epoch === epoch);
    if (base === undefined) return undefined;
    const segments = (await this.segments.list()).filter((each) => each.epoch === epoch);
    return Math.max(base.seq, segments.at(-1)?.to ?? 0);
  }

  private async beginAgain(): Promise<void> {
    if (!this.parts.isInUse()) return;
    const { seq } = await this.parts.backups.begin('', true).done;
    this.position = seq;
    this.isFirst = false;
  }
}
