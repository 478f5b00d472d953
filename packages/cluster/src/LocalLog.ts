/*
 * The change log of one server, on an engine that has none (docs/decisions/0032): that of a cluster, with a local file in
 * place of the stream in Redis. There are no other nodes, so an entry that was appended is taken at once.
 */
import { randomBytes } from 'node:crypto';
import { clusterErrors, EventLoopPacer, type Lifecycle, type Logger, type StorageEngine } from '@millrace/kernel';
import { SendQueue } from './link/SendQueue.js';
import { decodeEntry, type NodeMessage } from './redis/wire.js';
import { Echoes } from './log/Echoes.js';
import type { Place } from './log/LogIntake.js';
import type { LogHistory } from './log/LogLink.js';
import { StreamChangeLog } from './log/StreamChangeLog.js';
import { UnrecordedWrites } from './log/UnrecordedWrites.js';
import type { LogStore } from './LogStore.js';

const PROCESS_ID_BYTES = 10;
/** How long a write waits for the file, in milliseconds. */
const APPEND_WITHIN_MS = 2_000;
const FLUSH_WITHIN_MS = 1_000;
const MAX_QUEUED_BYTES = 2 ** 25;
/** Id of the mark of a server that records nothing. */
const NO_LOG = 'no-log';

/** The file of a log. It bounds itself. */
export interface LogFile extends LogStore {
  /** @throws storage.unavailable if it is in use or can't be written */
  open(): void;
  close(): void;
  /** @returns the id of the entry @throws if the disk fails */
  append(fields: readonly string[]): string;
}

/** Dependencies of a `LocalLog`. */
export interface LocalLogParts {
  /** Without a change log. */
  readonly engine: StorageEngine;
  readonly file: LogFile;
  readonly history: LogHistory;
  readonly internalIndex: string;
  readonly logger: Logger;
}

/** Adds a change log to an engine. Start it after the engine. */
export class LocalLog implements Lifecycle {
  /** The engine that records. */
  readonly engine: StorageEngine;
  private readonly queue: SendQueue;
  private readonly echoes: Echoes;
  private readonly log: StreamChangeLog;
  private readonly pacer = new EventLoopPacer(1);
  private lastNumber = 0;
  private isAway = false;

  constructor(private readonly parts: LocalLogParts) {
    const { file: stream, logger } = parts;
    // Another one at each start: so the writes of a process that was killed are those of a dead node.
    const nodeId = randomBytes(PROCESS_ID_BYTES).toString('hex');
    this.echoes = new Echoes(APPEND_WITHIN_MS, () => this.queue.isUp);
    const { echoes } = this;
    this.queue = new SendQueue(
      nodeId,
      (fields) => this.append(fields),
      {
        maxQueuedBytes: MAX_QUEUED_BYTES,
        maxStreamBytes: Infinity,
        maxStreamEntries: Infinity,
        confirmTimeoutMs: APPEND_WITHIN_MS,
      },
      (droppedCount) => {
        logger.warn({ droppedCount }, 'changes were dropped: too many waited for the file of the change log');
        this.log.dropped();
      },
      () => echoes.release(),
    );
    const link = {
      nodeId,
      ownEpoch: () => this.log.epoch,
      echoes,
      send: (topic: string, key: string, body: string) => this.queue.push(topic, key, body),
      others: () => [],
      ask: (id: string) => Promise.reject(clusterErrors.unreachable({ nodeId: id })),
      answer: () => undefined,
      synced: () => undefined,
    };
    this.log = new StreamChangeLog({ ...parts, link, stream, deadAfterMs: 0 });
    this.engine = this.log.engine;
  }

  /** Call before a server writes that records nothing: the next one with a log finds the mark, and sends a gap. */
  static markUnrecorded({ engine, internalIndex }: Pick<LocalLogParts, 'engine' | 'internalIndex'>): Promise<void> {
    return new UnrecordedWrites(engine, NO_LOG, internalIndex).put(NO_LOG);
  }

  /** @throws storage.unavailable if the file is in use or can't be written */
  async start(): Promise<void> {
    const { file } = this.parts;
    file.open();
    await this.log.start(await file.lastId());
    await this.log.whenJoined();
  }

  async stop(): Promise<void> {
    await this.queue.stop(FLUSH_WITHIN_MS);
    this.log.stop();
    this.echoes.release();
    this.parts.file.close();
  }

  private async append(fields: readonly string[]): Promise<void> {
    const id = this.write(fields);
    const messages = decodeEntry(fields)?.messages ?? [];
    const isWhole = messages[0]?.number === this.lastNumber + 1;
    this.lastNumber = messages.at(-1)?.number ?? this.lastNumber;
    if (!isWhole) this.log.lostOwn();
    for (const [place, message] of messages.entries()) {
      this.echoes.take(message.number, () => this.log.cursorAt(id, place));
      this.take(message, { entryId: id, place, from: fields[1] as string });
    }
    this.log.intake.taken(id);
    this.echoes.settle();
    this.log.reached(this.lastNumber + 1);
    if (this.pacer.isDue()) await this.pacer.rest();
  }

  private take(message: NodeMessage, place: Place): void {
    try {
      this.log.intake.take(message, place);
    } catch (error) {
      // Rejected, the entry would be appended again.
      this.parts.logger.error({ err: error, topic: message.topic }, 'a message of the change log could not be taken');
    }
  }

  private write(fields: readonly string[]): string {
    const { file, logger } = this.parts;
    try {
      const id = file.append(fields);
      if (this.isAway) logger.info({}, 'the file of the change log can be written again');
      this.isAway = false;
      return id;
    } catch (error) {
      if (!this.isAway) logger.warn({ err: error }, 'the file of the change log can not be written');
      this.isAway = true;
      throw error;
    }
  }
}
