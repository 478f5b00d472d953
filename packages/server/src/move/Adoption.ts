import type { Lifecycle, Logger, StorageEngine } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import type { FileSecretStore } from '../configuration/FileSecretStore.js';
import type { EngineFile, MovedTo } from './EngineFile.js';
import { MoveCollections } from './MoveCollections.js';

/** The dependencies of `Adoption`. */
export interface AdoptionParts {
  readonly engine: StorageEngine;
  readonly file: EngineFile;
  readonly moved: MovedTo;
  /** Of the embedded engine. */
  readonly secrets: FileSecretStore;
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
    const keys = { index: internalIndex, collection: 'keys' };
    const { marker } = new MoveCollections(internalIndex);
    await engine.createCollection(keys, parseMapping({ dynamic: false }));
    for (const [id, key] of await secrets.all()) {
      const operation = { ...keys, kind: 'put', id, condition: 'absent' } as const;
      await engine.write([{ ...operation, source: { key } }], true);
    }
    // Another move from the old database must not replace these documents.
    if (await engine.hasCollection(marker)) await engine.deleteCollection(marker);
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
