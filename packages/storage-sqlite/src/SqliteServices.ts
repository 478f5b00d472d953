import type { Worker } from 'node:worker_threads';
import { dirname, join } from 'node:path';
import { MAX_RESULT_BYTES, storageErrors, type Logger } from '@millrace/kernel';
import { Catalog, mappingEntries } from './catalog/Catalog.js';
import { CatalogChanges } from './CatalogChanges.js';
import type { Collection } from './catalog/CollectionMapping.js';
import { ChangeReader } from './changeLog/ChangeReader.js';
import type { HistoryOptions } from './writer/HistoryOptions.js';
import { RecordedCollections } from './changeLog/RecordedCollections.js';
import { CollectionUses } from './CollectionUses.js';
import { acquireDataDirectory, DATABASE_NAME, type ReleaseDataDirectory } from './directory/acquireDataDirectory.js';
import { closeToOthers } from './directory/closeToOthers.js';
import { makePrivateFile } from './directory/makePrivateFile.js';
import { DocumentWriter } from './documents/DocumentWriter.js';
import { IndexingAhead } from './IndexingAhead.js';
import { IntegrityWatch } from './integrity/IntegrityWatch.js';
import { PointReader } from './PointReader.js';
import { Readers } from './Readers.js';
import { readCollectionRows, readIndexRows, STORE_FORMAT } from './schema/catalogTables.js';
import { SearchThread } from './search/SearchThread.js';
import { SearchHints } from './SearchHints.js';
import { reasonOf } from './sqliteFailure.js';
import type { WriterEntry } from './writer/WriterEntry.js';
import { WriteFailureLog } from './writer/WriteFailureLog.js';
import { WriterThread } from './writer/WriterThread.js';

/** Options of an opened store. */
export interface OpenOptions {
  readonly dataDir: string;
  readonly logger: Logger;
  /** Time between two checks of the whole file, in milliseconds. */
  readonly integrityIntervalMs: number;
  readonly history: HistoryOptions;
  readonly internalIndex: string;
  /** `StorageEngine.maxSearches` has increased although no search has ended. */
  readonly onMoreSearches: () => void;
  /** See `SqliteEngineOptions`. */
  readonly takeWriter: () => Worker | undefined;
}

/** The components of a started engine, wired together. */
export class SqliteServices {
  readonly catalog = new Catalog();
  readonly writer: WriterThread;
  readonly search: SearchThread;
  readonly documents: DocumentWriter;
  readonly changes: CatalogChanges;
  readonly readers: Readers;

  readonly integrity: IntegrityWatch;
  readonly changeReader: ChangeReader;
  readonly recorded: RecordedCollections;

  private readonly logger: Logger;
  private readonly uses: CollectionUses;
  private readonly hints: SearchHints;
  private readonly ahead: IndexingAhead;
  private pointReader: PointReader | undefined;

  /** Locks the data directory and opens the store. @throws storage.unavailable */
  static async open(options: OpenOptions): Promise<SqliteServices> {
    const { dataDir, logger } = options;
    const release = acquireDataDirectory(dataDir);
    const databaseFile = join(dataDir, DATABASE_NAME);
    const services = new SqliteServices(databaseFile, options, release);
    try {
      prepareFiles(dataDir, databaseFile, logger);
      await services.writer.start();
      services.pointReader = new PointReader(databaseFile);
      services.synchroniseCatalog();
      services.search.start();
      services.watchIntegrity();
      return services;
    } catch (error) {
      await services.close();
      throw error;
    }
  }

  private constructor(
    databaseFile: string,
    { logger, integrityIntervalMs, history, internalIndex, onMoreSearches, takeWriter }: OpenOptions,
    private readonly releaseDataDirectory: ReleaseDataDirectory,
  ) {
    this.logger = logger;
    this.changeReader = new ChangeReader(databaseFile);
    const failures = new WriteFailureLog(logger, dirname(databaseFile));
    this.writer = new WriterThread({
      databaseFile,
      history,
      internalIndex,
      onFailure: (error) => {
        logger.error({ error }, 'the writer thread of the storage engine died and is restarted');
      },
      onOutcome: (failure) => {
        this.pointReader?.committed();
        failures.add(failure);
      },
      recover: () => this.recover(),
      takeWriter,
    });
    this.search = new SearchThread({
      databaseFile,
      maxResultBytes: MAX_RESULT_BYTES,
      onMoreTasks: onMoreSearches,
      onFailure: (error) => {
        logger.error({ error }, 'the search thread of the storage engine died');
      },
      onCaughtUp: (collectionNumber, tombstoneNumber) => {
        this.hints.caughtUp(collectionNumber, tombstoneNumber);
      },
      onStored: (record) => {
        this.writer.submit({ type: 'indexStored', ...record }).then(
          (answer) => {
            this.search.recorded(record, answer.type === 'done');
          },
          () => {
            this.search.recorded(record, false);
          },
        );
      },
    });
    const { catalog, writer, search } = this;
    const retire = (collectionNumber: number) => {
      this.retire(collectionNumber);
    };
    this.uses = new CollectionUses(writer);
    this.hints = new SearchHints(search, writer);
    this.ahead = new IndexingAhead(async (collectionNumber) => {
      await this.uses.search(collectionNumber);
      this.search.warm(collectionNumber);
    });
    this.integrity = new IntegrityWatch(databaseFile, catalog, writer, logger, integrityIntervalMs);
    this.recorded = new RecordedCollections(writer, history, internalIndex);
    const { integrity, recorded } = this;
    this.documents = new DocumentWriter(catalog, writer, integrity, recorded, (collection) => {
      this.noteWrite(collection);
    });
    this.changes = new CatalogChanges(
      catalog,
      writer,
      this.documents,
      (collectionNumber) => this.uses.isHeld(collectionNumber),
      retire,
    );
    this.readers = new Readers(catalog, search, this.uses, writer, retire);
  }

  get reader(): PointReader {
    if (this.pointReader === undefined) throw new Error('The store is not open');
    return this.pointReader;
  }

  /** Closes all components, the writer last except for the lock. */
  async close(): Promise<void> {
    this.hints.stop();
    this.ahead.stop();
    try {
      await this.integrity.stop();
      await this.search.stop();
    } finally {
      this.pointReader?.close();
      await this.changeReader.close();
      try {
        await this.writer.stop();
      } finally {
        this.releaseDataDirectory();
      }
    }
  }

  private watchIntegrity(): void {
    const { isChecked, repaired, formerFormat } = this.writer.opened;
    if (formerFormat !== undefined) {
      this.logger.info(
        { formerFormat, format: STORE_FORMAT },
        'the database was upgraded: older versions refuse it from now on',
      );
    }
    if (repaired !== undefined) {
      this.logger.warn(
        { problem: repaired },
        'a damaged index of document ids was rebuilt from the documents, which are intact',
      );
    }
    this.integrity.start(isChecked);
  }

  private synchroniseCatalog(): void {
    const { database } = this.reader;
    this.reader.committed();
    this.catalog.synchronise(readIndexRows(database), readCollectionRows(database));
  }

  /**
   * Restores the state after the writer died: commits without a response are on disk, and state that only the dead
   * writer had must be sent again.
   */
  private recover(): WriterEntry[] {
    const former = new Set(this.currentNumbers());
    this.synchroniseCatalog();
    for (const collectionNumber of this.currentNumbers()) former.delete(collectionNumber);
    for (const collectionNumber of former) this.retire(collectionNumber);
    return [...mappingEntries(this.catalog), ...this.uses.entries()];
  }

  private currentNumbers(): number[] {
    return [...this.catalog.allCollections()].map(({ number: collectionNumber }) => collectionNumber);
  }

  private noteWrite(collection: Collection): void {
    if (this.uses.isSearched(collection.number)) this.hints.changed(collection.number);
    else this.ahead.written(collection.number);
  }

  private retire(collectionNumber: number): void {
    this.search.drop(collectionNumber);
    this.hints.forget(collectionNumber);
    this.ahead.forget(collectionNumber);
    this.reader.forget(collectionNumber);
    this.writer.forget(collectionNumber);
    this.uses.forget(collectionNumber);
  }
}

/**
 * Makes the files readable only for the user that runs Millrace. @throws storage.unavailable if the database can't be
 * created
 */
function prepareFiles(dataDir: string, databaseFile: string, logger: Logger): void {
  try {
    closeToOthers(dataDir, logger);
    makePrivateFile(databaseFile);
  } catch (error) {
    const reason = `the database "${databaseFile}" can't be created: ${reasonOf(error)}`;
    throw storageErrors.unavailable({ reason }, { cause: error });
  }
}
