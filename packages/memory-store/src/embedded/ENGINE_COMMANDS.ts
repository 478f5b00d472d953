import type { MaybePromise, MemoryReply } from '@millrace/kernel';
import type { EmbeddedEngine } from './EmbeddedEngine.js';

/** Runs a command on the engine rather than on its keys. */
type EngineCommand = (engine: EmbeddedEngine, args: readonly string[]) => MaybePromise<MemoryReply>;

/** The commands that have no `run`, by word. */
export const ENGINE_COMMANDS: Readonly<Record<string, EngineCommand>> = {
  BGREWRITEAOF: (engine) => {
    void engine.rewriteLog();
    return 'Background append only file rewriting started';
  },
  BGSAVE: (engine) => {
    void engine.flush().catch(() => undefined);
    return 'Background saving started';
  },
  INFO: (engine, [section]) => engine.info(section),
  LASTSAVE: (engine) => Math.floor(engine.savedAtMs / 1000),
  SAVE: (engine) => engine.flush().then(() => 'OK'),
};
