import { RecordStore, type Lifecycle, type Logger, type RecordKind, type StorageEngine } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { CopyMark } from './CopyMark.js';
import type { EngineFile, MovedTo } from './EngineFile.js';

/** Signing keys in the clear, as the security service stores them. */
const KEYS: RecordKind<string> = {
  collection: 'keys',
  mapping: parseMapping({ dynamic: false }),
  parse: ({ source: { key } }) => (typeof key === 'string' ? key : null),
  toSource: (key) => ({ key }),
};

/** The dependencies of `Adoption`. */
export interface AdoptionParts {
  readonly engine: StorageEngine;
  readonly file: EngineFile;
  readonly moved: MovedTo;
  /** By name, the secrets of a server on the embedded engine. */
  readonly secrets: () => Promise<ReadonlyMap<string, string>>;
  readonly internalIndex: string;
  readonly log: Logger;
}

/** Starts Elasticsearch as the configured engine of a data folder that has moved there: it is the only one from now on. */
export class Adoption implements Lifecycle {
  constructor(private readonly parts: AdoptionParts) {}

  /** Gives Elasticsearch the signing keys, so that tokens stay valid. @throws storage.unavailable */
  async start(): Promise<void> {
    const { engine, file, moved, secrets, internalIndex, log } = this.parts;
    await engine.start();
    const keys = new RecordStore({ engine, index: internalIndex }, KEYS);
    for (const [name, key] of await secrets()) await keys.tryPut(name, key, 'absent');
    await new CopyMark(internalIndex).remove(engine);
    await file.write({ ...moved, phase: 'adopted' });
    log.info(
      { node: moved.node, file: file.path },
      'the move is complete: the documents are in Elasticsearch alone, and the database of the data folder stays as it is',
    );
  }

  async stop(): Promise<void> {
    await this.parts.engine.stop();
  }
}
