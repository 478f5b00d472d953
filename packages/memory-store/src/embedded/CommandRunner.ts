import { memoryErrors } from '@millrace/kernel';
import { failure } from './failure.js';
import { HANDLERS } from './HANDLERS.js';
import type { Keyspace } from './Keyspace.js';
import type { CommandLog } from './log/CommandLog.js';
import type { LoggedCommand } from './log/encodeCommands.js';
import type { Reply } from './Reply.js';

/** What bounds the memory of the keys. */
export interface MemoryBound {
  /** In bytes; 0: none. */
  readonly maxMemory: number;
  readonly evictionPolicy: 'noeviction' | 'allkeys-lru';
}

/** Runs commands on the keyspace, one at a time and at once, and hands what they did to the log. */
export class CommandRunner {
  /** What the commands of a transaction did: one record. */
  private gathered: LoggedCommand[] | undefined;
  /** Resolves when the last record is as safe as the sync policy asks. */
  private logged: Promise<void> | undefined;
  commandCount = 0;

  constructor(
    private readonly keyspace: Keyspace,
    private readonly log: CommandLog | undefined,
    private readonly bound: MemoryBound,
  ) {}

  /** @throws memory.command_error, memory.unavailable */
  run(command: LoggedCommand): Reply {
    const [name = '', ...args] = command;
    const handler = HANDLERS.get(name);
    if (handler === undefined) throw failure(`ERR unknown command '${name}'`);
    this.commandCount++;
    if (handler.isWriter) this.assertWritable(handler.mayGrow);
    const { keyspace } = this;
    keyspace.changeCount = 0;
    keyspace.effects = undefined;
    try {
      return handler.run(keyspace, args);
    } finally {
      this.record(command);
    }
  }

  /** Runs commands as one step of the log. */
  gather<T>(work: () => T): T {
    this.gathered = [];
    try {
      return work();
    } finally {
      const { gathered } = this;
      this.gathered = undefined;
      this.append(gathered);
    }
  }

  /** Logs keys that went without a command. */
  recordExpired(): void {
    this.keyspace.changeCount = 0;
    this.record([]);
  }

  /** What the answer to the last command has to wait for; asked once. */
  takeLogged(): Promise<void> | undefined {
    const { logged } = this;
    this.logged = undefined;
    return logged;
  }

  private record(command: LoggedCommand): void {
    const { keyspace } = this;
    const { expiredKeys, changeCount, effects } = keyspace;
    if (expiredKeys.length === 0 && changeCount === 0) return;
    const commands: LoggedCommand[] = [];
    if (expiredKeys.length > 0) {
      commands.push(['DEL', ...expiredKeys]);
      expiredKeys.length = 0;
    }
    if (changeCount > 0) commands.push(...(effects ?? [command]));
    if (this.gathered === undefined) this.append(commands);
    else this.gathered.push(...commands);
  }

  private append(commands: readonly LoggedCommand[]): void {
    if (commands.length > 0) this.logged = this.log?.append(commands) ?? this.logged;
  }

  private assertWritable(mayGrow: boolean): void {
    const reason = this.log?.failure;
    if (reason !== undefined) throw memoryErrors.unavailable({ reason });
    const { maxMemory, evictionPolicy } = this.bound;
    if (maxMemory === 0 || !mayGrow) return;
    const { keyspace } = this;
    while (keyspace.usedBytes > maxMemory) {
      const evicted = evictionPolicy === 'noeviction' ? undefined : keyspace.evictOne();
      if (evicted === undefined) {
        throw memoryErrors.unavailable({
          reason: `its keys take more than the ${maxMemory} bytes of memoryStore.maxMemory`,
        });
      }
      this.append([['DEL', evicted]]);
    }
  }
}
