import { parentPort, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { Queue } from '@millrace/kernel';
import { reasonOf } from '../sqliteFailure.js';
import { takeTransaction } from './takeTransaction.js';
import type { WriterEntry, WriterMessage, WriterRequest, WriterWorkerData } from './WriterEntry.js';
import { WriterStore } from './WriterStore.js';

/** After this long without a request the writer runs housekeeping. */
const IDLE_AFTER_MS = 100;

/** The writer's thread: passes all waiting entries to the store, one transaction at a time, and responds. */
class WriterLoop {
  private readonly waiting = new Queue<WriterEntry>();
  private idleTimer: NodeJS.Timeout | undefined;
  private isClosing = false;

  constructor(
    private readonly port: MessagePort,
    private readonly store: WriterStore,
  ) {
    port.on('message', (request: WriterRequest) => {
      this.receive(request);
      this.work();
    });
    this.post({
      type: 'ready',
      sqliteVersion: store.sqliteVersion,
      opened: store.opened,
      log: store.log,
    });
    this.awaitIdleness();
  }

  private receive(request: WriterRequest): void {
    if (request.type === 'close') this.isClosing = true;
    else for (const entry of request.entries) this.waiting.push(entry);
  }

  private work(): void {
    clearTimeout(this.idleTimer);
    this.receiveAll();
    while (this.waiting.size > 0) {
      const { answers, marks } = this.store.apply(takeTransaction(this.waiting));
      this.post({
        type: 'answers',
        answers,
        marks,
        failure: this.store.failure,
        seq: this.store.lastSeq,
      });
      this.store.housekeep(false);
      // Entries received during the transaction are part of the next one.
      this.receiveAll();
    }
    if (this.isClosing) this.close();
    else this.awaitIdleness();
  }

  private receiveAll(): void {
    for (;;) {
      const received: { message: WriterRequest } | undefined = receiveMessageOnPort(this.port);
      if (received === undefined) return;
      this.receive(received.message);
    }
  }

  private awaitIdleness(waitMs = IDLE_AFTER_MS): void {
    this.idleTimer = setTimeout(() => {
      this.awaitIdleness(this.store.housekeep(true) ? IDLE_AFTER_MS : this.store.trimIntervalMs);
    }, waitMs);
  }

  private close(): void {
    this.store.close();
    this.post({ type: 'closed' });
    this.port.close();
  }

  private post(message: WriterMessage): void {
    this.port.postMessage(message);
  }
}

function run(port: MessagePort, data: WriterWorkerData): void {
  let store: WriterStore;
  try {
    store = new WriterStore(data);
  } catch (error) {
    port.postMessage({ type: 'unusable', reason: reasonOf(error) } satisfies WriterMessage);
    return;
  }
  new WriterLoop(port, store);
}

// May come long after the thread has started (`SqliteEngineOptions.takeWriter`).
const port = parentPort;
port?.once('message', (data: WriterWorkerData) => run(port, data));
