import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { isBehind, STREAM_START, type RedisStream, type StreamEntry } from '../redis/RedisStream.js';

const WAIT_MS = 1_000;
const RETRY_MS = 50;
/** Entries are processed in slices, so that a backlog doesn't block the event loop. */
const SLICE_MS = 8;

/** Reads the stream from a position on, in order, and resumes after every loss of Redis. */
export class StreamReader {
  private position = STREAM_START;
  private isStopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly stream: RedisStream,
    private readonly take: (entry: StreamEntry) => void,
    /** Redis was unavailable. @param hasLost entries that were there are gone */
    private readonly onReconnected: (lastId: string, hasLost: boolean) => Promise<void>,
  ) {}

  /** Starts after an entry. */
  async start(position: string): Promise<void> {
    this.position = position;
    this.running = this.run();
  }

  /** Stops processing entries. The owner closes the connection. */
  stop(): void {
    this.isStopped = true;
  }

  /** Resolves when reading has ended. */
  whenEnded(): Promise<void> {
    return this.running;
  }

  private async run(): Promise<void> {
    let mayHaveRestarted = false;
    while (!this.isStopped) {
      try {
        if (mayHaveRestarted) await this.findPlace();
        mayHaveRestarted = false;
        await this.takeAll(await this.stream.read(this.position, WAIT_MS));
      } catch {
        // The client logs the failure.
        mayHaveRestarted = true;
        if (!this.isStopped) await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  /** A Redis that restarted may have lost its last entries, or all. */
  private async findPlace(): Promise<void> {
    const last = await this.stream.lastId();
    const isShorter = isBehind(this.position, last);
    // Other nodes may have appended entries since.
    const hasLost = isShorter || (await this.stream.hasLost(this.position));
    if (isShorter) this.position = last;
    await this.onReconnected(last, hasLost);
  }

  private async takeAll(entries: readonly StreamEntry[]): Promise<void> {
    let sliceEndMs = performance.now() + SLICE_MS;
    for (const entry of entries) {
      if (this.isStopped) return;
      this.position = entry.id;
      this.take(entry);
      if (performance.now() < sliceEndMs) continue;
      await nextTurn();
      sliceEndMs = performance.now() + SLICE_MS;
    }
  }
}
