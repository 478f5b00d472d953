import type { MessagePort } from 'node:worker_threads';
import { QueryError } from '@millrace/query';
import { reasonOf } from '../sqliteFailure.js';
import { DamagedRow } from './index/CollectionRows.js';
import { Refusal } from './Refusal.js';
import type {
  FromSearchWorker,
  SearchFailure,
  SearchTask,
  ToSearchWorker,
} from './SearchMessages.js';
import { NoCursor, SearchTasks } from './SearchTasks.js';

/** So long the index follows new writes at a time, before messages are looked at again. */
const CATCH_UP_SLICE_MS = 20;

/** The search thread: answers one task after another, and follows new writes when there is none. */
export class SearchLoop {
  private readonly tasks: SearchTasks;
  private readonly behind = new Set<number>();
  private isScheduled = false;
  private isStopped = false;

  constructor(
    private readonly port: MessagePort,
    databaseFile: string,
  ) {
    this.tasks = new SearchTasks(databaseFile, (k, s) => {
      this.post({ type: 'caughtUp', k, s });
    });
    port.on('message', (message: ToSearchWorker) => {
      this.receive(message);
    });
  }

  private receive(message: ToSearchWorker): void {
    switch (message.type) {
      case 'task':
        this.answer(message.id, message.task);
        break;
      case 'closeCursor':
        this.tasks.closeCursor(message.cursor);
        break;
      case 'closeScan':
        this.tasks.closeScan(message.scan);
        break;
      case 'changed':
        this.behind.add(message.k);
        this.schedule();
        break;
      case 'drop':
        this.behind.delete(message.k);
        this.tasks.drop(message.k);
        break;
      case 'stop':
        this.isStopped = true;
        this.tasks.close();
        this.port.close();
        break;
    }
  }

  private answer(id: number, task: SearchTask): void {
    try {
      this.post({ type: 'result', id, json: this.tasks.run(task) });
    } catch (error) {
      this.post({ type: 'failed', id, failure: this.failureOf(error, task) });
    }
  }

  private failureOf(error: unknown, task: SearchTask): SearchFailure {
    if (error instanceof Refusal || error instanceof QueryError) {
      return { kind: error.kind, message: error.message };
    }
    if (error instanceof NoCursor) return { kind: 'no_cursor' };
    if (error instanceof DamagedRow) {
      const k = this.tasks.collectionOf(task);
      const name = k === undefined ? { index: '', collection: '' } : this.tasks.nameOf(k);
      return { kind: 'corrupt', ...name, id: error.documentId };
    }
    return { kind: 'unavailable', message: reasonOf(error) };
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      if (!this.isStopped) this.followWrites();
    });
  }

  private followWrites(): void {
    const [k] = this.behind;
    if (k === undefined) return;
    try {
      if (this.tasks.catchUp(k, CATCH_UP_SLICE_MS)) this.behind.delete(k);
    } catch {
      // The next search of the collection meets the same failure, and tells it.
      this.behind.delete(k);
    }
    if (this.behind.size > 0) this.schedule();
  }

  private post(message: FromSearchWorker): void {
    this.port.postMessage(message);
  }
}
