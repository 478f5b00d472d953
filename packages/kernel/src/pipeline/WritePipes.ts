import type { MaybePromise } from '../concurrency/MaybePromise.js';
import type { CollectionName } from '../contracts/storage/StorageEngine.js';
import type { CommittedWrite, Emptying, PendingWrite, WriteObservers } from '../contracts/storage/WriteObservers.js';
import type { Logger } from '../contracts/runtime/Logger.js';
import type { Hooks } from '../events/Hooks.js';
import { isJsonObject, type JsonObject } from '../json/Json.js';
import { guardPipe, invalidPipeResult } from './guardPipe.js';

/**
 * Changes or refuses document writes of all actions: create, createOrReplace, replace, update, delete, each document of
 * the `m…` actions, each line of `bulk.import`, each deletion of `deleteByQuery`. Run by the storage service in order
 * of registration, after authorisation and before validation specifications, which check its result. If another writer
 * was faster, it runs again for the same write, with the new `before`. A throw refuses that document alone: a
 * registered error is returned unchanged, anything else becomes `core.plugin_failed`; its time limit is
 * `server.pluginTimeoutMs`. Not run for `collection.truncate`, `collection.delete` and `index.delete` (see the event
 * `collection.emptied`), for updates that change nothing, and for the server's internal data.
 */
export interface WritePipe {
  readonly when: 'document.beforeWrite';
  /** The collections it applies to: `library/books`, `library/*` or `*`. Default `*`. */
  readonly collections?: string;
  /**
   * @returns the content to store instead of `after` (a copy), or nothing to keep it; throws a registered error to
   *   refuse
   */
  readonly run: (write: PendingWrite) => MaybePromise<JsonObject | void>;
}

interface RegisteredPipe {
  readonly plugin: string;
  readonly pipe: WritePipe;
}

/** All pipes and hooks of a server that observe document writes. */
export class WritePipes implements WriteObservers {
  private readonly registered: RegisteredPipe[] = [];

  constructor(
    private readonly hooks: Hooks,
    private readonly log: Logger,
    private readonly limitMs: number,
  ) {}

  add(plugin: string, pipe: WritePipe): void {
    this.registered.push({ plugin, pipe });
  }

  isPiped(name: CollectionName): boolean {
    return this.registered.some(({ pipe }) => concerns(pipe, name));
  }

  isObserved(name: CollectionName): boolean {
    return this.hooks.has('document.afterWrite') || this.isPiped(name);
  }

  async before(write: PendingWrite): Promise<JsonObject | null> {
    const { limitMs } = this;
    let current = write;
    for (const { plugin, pipe } of this.registered) {
      if (!concerns(pipe, write)) continue;
      try {
        const changed = await guardPipe({ plugin, limitMs }, () => pipe.run(current));
        if (changed === undefined || changed === null) continue;
        if (current.after === null) throw invalidPipeResult(plugin, 'nothing, for a deletion');
        if (!isJsonObject(changed)) throw invalidPipeResult(plugin, 'a JSON object');
        current = { ...current, after: changed };
      } catch (error) {
        this.report(plugin, write, error);
        throw error;
      }
    }
    return current.after;
  }

  after(write: CommittedWrite): void {
    this.hooks.emit('document.afterWrite', write);
  }

  emptied(emptying: Emptying): void {
    this.hooks.emit('collection.emptied', emptying);
  }

  /** The failure of one document among many doesn't fail its request, so the dispatcher wouldn't log it. */
  private report(plugin: string, { index, collection, id }: PendingWrite, error: unknown): void {
    if ((error as { readonly status?: unknown }).status === 500) {
      this.log.error({ plugin, index, collection, id, err: error }, 'pipe failed');
    }
  }
}

function concerns({ collections = '*' }: WritePipe, { index, collection }: CollectionName) {
  return collections === '*' || collections === `${index}/*` || collections === `${index}/${collection}`;
}
