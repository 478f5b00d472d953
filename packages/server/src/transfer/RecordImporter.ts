import type { CollectionName, JsonObject } from '@millrace/kernel';
import { ActionError } from '../targets/ActionError.js';
import { isOffline, type ActionTarget, type OfflineTarget } from '../targets/ActionTarget.js';
import type { StoredId } from './ImportState.js';
import { importAccountMapping, importAccounts } from './accounts.js';
import { TRANSFER_FORMAT, type TransferRecord } from './TransferRecord.js';

const MAX_BATCH = 500;
const MAX_BATCH_BYTES = 512 * 1024;
const MAX_REPLACED = 100;

type AccountRecord = TransferRecord & { readonly type: 'account' };

/** Writes the records of an export in batches. */
export class RecordImporter {
  documents = 0;
  accounts = 0;
  /** Accounts of the file that were not imported. */
  accountsLeftOut = 0;
  /** Accounts that the target had, such as `users/admin`; the first ones. */
  readonly replaced: string[] = [];
  replacedCount = 0;
  isComplete = false;
  /** Documents that the target refused, such as those that don't fit an existing mapping; the first ones. */
  readonly refused: string[] = [];
  refusedCount = 0;
  private lines: JsonObject[] = [];
  /** Where the documents of `lines` were read. */
  private lineNumbers: number[] = [];
  private accountRecords: AccountRecord[] = [];
  private bytes = 0;
  private decision: Promise<boolean> | undefined;

  /**
   * @param takesAccounts whether to import accounts; called at the first one, if there is one
   * @param collection of the first documents
   * @param last the last document that is stored, of an interrupted import that goes on
   */
  constructor(
    private readonly target: ActionTarget,
    private readonly takesAccounts: () => boolean | Promise<boolean>,
    public collection: CollectionName | null = null,
    public last: StoredId | null = null,
  ) {}

  /**
   * @param bytes size of the record
   * @param line its number in the file
   * @returns true if everything up to this record is stored
   */
  async add(record: TransferRecord, bytes: number, line: number): Promise<boolean> {
    switch (record.type) {
      case 'document':
        this.lines.push({ index: record._id === '' ? {} : { _id: record._id } }, record._source);
        this.lineNumbers.push(line);
        break;
      case 'account':
        if (!(await this.mayTakeAccounts())) {
          this.accountsLeftOut++;
          return false;
        }
        this.accountRecords.push(record);
        break;
      default:
        await this.flush();
        await this.apply(record);
        return true;
    }
    this.bytes += bytes;
    const count = this.lines.length / 2 + this.accountRecords.length;
    if (count < MAX_BATCH && this.bytes < MAX_BATCH_BYTES) return false;
    await this.flush();
    return true;
  }

  /** Stores the rest. */
  end(): Promise<void> {
    return this.flush();
  }

  /** Counts a document that can't be stored. */
  refuse(problem: string): void {
    this.refusedCount++;
    if (this.refused.length < 10) this.refused.push(problem);
  }

  private mayTakeAccounts(): Promise<boolean> {
    this.decision ??= Promise.resolve(this.takesAccounts());
    return this.decision;
  }

  private async apply(record: TransferRecord): Promise<void> {
    if (record.type === 'export' && record.format !== TRANSFER_FORMAT)
      throw new Error(
        `The export has format ${record.format} and this version reads format ${TRANSFER_FORMAT}: use version ${record.millrace} of Millrace or later`,
      );
    if (record.type === 'index') await this.createIndex(record.index);
    if (record.type === 'collection') await this.openCollection(record);
    if (record.type === 'specification') await this.specify(record, record.specification);
    if (record.type === 'accountMapping' && (await this.mayTakeAccounts())) {
      const { storage, internalIndex } = this.offline();
      await importAccountMapping(storage, internalIndex, record);
    }
    this.isComplete = record.type === 'end';
  }

  private async createIndex(index: string): Promise<void> {
    try {
      await this.target.execute('index', 'create', { index });
    } catch (error) {
      if (!(error instanceof ActionError && error.id === 'storage.index_exists')) throw error;
    }
  }

  private async openCollection({
    index,
    collection,
    mapping,
  }: TransferRecord & { readonly type: 'collection' }): Promise<void> {
    this.collection = { index, collection };
    const body = mapping ?? {};
    const exists = await this.target.execute('collection', 'exists', { index, collection });
    if (exists === true) {
      // Whoever exported it could not read it.
      if (body['properties'] === undefined) return;
      // Analysis is fixed at the creation.
      const { settings: _, ...update } = body;
      await this.target.execute('collection', 'updateMapping', { index, collection, body: update });
    } else await this.target.execute('collection', 'create', { index, collection, body });
  }

  private async specify({ index, collection }: CollectionName, specification: JsonObject): Promise<void> {
    const body = { [index]: { [collection]: specification } };
    await this.target.execute('collection', 'updateSpecifications', { body });
  }

  private async flush(): Promise<void> {
    if (this.lines.length > 0) await this.writeDocuments();
    if (this.accountRecords.length > 0) {
      const { storage, internalIndex } = this.offline();
      const replaced = await importAccounts(storage, internalIndex, this.accountRecords);
      this.replacedCount += replaced.length;
      this.replaced.push(...replaced.slice(0, MAX_REPLACED - this.replaced.length));
      this.accounts += this.accountRecords.length;
    }
    this.lines = [];
    this.lineNumbers = [];
    this.accountRecords = [];
    this.bytes = 0;
  }

  private async writeDocuments(): Promise<void> {
    if (this.collection === null) throw new Error('A document before its collection');
    const fields = { ...this.collection, body: { bulkData: this.lines } };
    const { hits } = (await this.target.execute('bulk', 'import', fields)) as unknown as {
      readonly hits: readonly Readonly<Record<string, BulkItem>>[];
    };
    for (const [at, hit] of hits.entries()) {
      const { _id, error } = Object.values(hit)[0] ?? { _id: '' };
      if (error === undefined) {
        this.documents++;
        this.last = { ...this.collection, _id };
      } else {
        const place = `line ${this.lineNumbers[at]}, ${JSON.stringify(_id)}`;
        this.refuse(`${place}: ${error.message}`);
      }
    }
  }

  /** @throws Error on a running server, which takes no credentials */
  private offline(): OfflineTarget {
    if (isOffline(this.target)) return this.target;
    throw new Error(
      'Accounts can be imported into a stopped server only: leave out --url, or export with --no-accounts',
    );
  }
}

interface BulkItem {
  readonly _id: string;
  readonly error?: { readonly message: string };
}
