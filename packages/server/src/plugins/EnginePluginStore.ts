import {
  coreErrors,
  isCollectionAbsent,
  toDocumentId,
  type CollectionName,
  type JsonObject,
  type PluginDocument,
  type PluginSearch,
  type PluginStore,
  type StorageEngine,
  type WriteOperation,
  type WriteOutcome,
} from '@millrace/kernel';
import { parseMapping, parseSearch } from '@millrace/query';
import { toRegisteredError } from '@millrace/storage';

const MAX_CONTENT_BYTES = 1_048_576;
const MAX_PAGE = 1_000;

/** The store of a plugin: a collection of the internal index, created at the first write. */
export class EnginePluginStore implements PluginStore {
  /** @param engine returns the configured engine; plugins receive their store before it is known */
  constructor(
    private readonly engine: () => StorageEngine,
    private readonly name: CollectionName,
  ) {}

  async get(id: string): Promise<PluginDocument | null> {
    toDocumentId(id);
    const found = await this.engine().read(this.name, id);
    return found === null ? null : { id, version: found.version, content: found.source };
  }

  async put(
    id: string,
    content: JsonObject,
    { ifVersion }: { readonly ifVersion?: number } = {},
  ): Promise<{ readonly version: number }> {
    toDocumentId(id);
    if (Buffer.byteLength(JSON.stringify(content)) > MAX_CONTENT_BYTES) {
      throw coreErrors.store_too_large({ maxBytes: MAX_CONTENT_BYTES });
    }
    const condition = ifVersion === 0 ? 'absent' : (ifVersion ?? 'any');
    const operation = { ...this.name, kind: 'put', id, source: content, condition } as const;
    let outcome = await this.write(operation);
    if (isWithoutCollection(outcome)) {
      await this.engine().createCollection(this.name, MAPPING);
      outcome = await this.write(operation);
    }
    if (outcome.status === 'failed') throw outcome.error;
    return { version: outcome.version };
  }

  async delete(id: string): Promise<boolean> {
    toDocumentId(id);
    const outcome = await this.write({ ...this.name, kind: 'delete', id, condition: 'present' });
    if (outcome.status !== 'failed') return true;
    if (outcome.error.status === 404) return false;
    throw outcome.error;
  }

  async list(page: Pick<PluginSearch, 'from' | 'size'> = {}): Promise<readonly PluginDocument[]> {
    return (await this.search(page)).documents;
  }

  async search({ from = 0, size = 10, ...body }: PluginSearch) {
    try {
      const request = parseSearch(body, { from, size: Math.min(size, MAX_PAGE) });
      const { total, hits } = await this.engine().search(this.name, request);
      const documents = hits.map(({ id, version, source = {} }) => ({
        id,
        version,
        content: source,
      }));
      return { total, documents };
    } catch (error) {
      if (isCollectionAbsent(error)) return { total: 0, documents: [] };
      throw toRegisteredError(error);
    }
  }

  private async write(operation: WriteOperation): Promise<WriteOutcome> {
    const [outcome] = await this.engine().write([operation], true);
    if (outcome === undefined) throw new Error('the engine gave no outcome');
    return outcome;
  }
}

const MAPPING = parseMapping({ dynamic: true, properties: {} });

function isWithoutCollection(outcome: WriteOutcome): boolean {
  return outcome.status === 'failed' && isCollectionAbsent(outcome.error);
}
