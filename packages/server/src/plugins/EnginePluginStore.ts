import {
  coreErrors,
  RecordStore,
  toDocumentId,
  type JsonObject,
  type PluginDocument,
  type PluginSearch,
  type PluginStore,
  type RecordPlace,
} from '@millrace/kernel';
import { parseMapping, parseSearch } from '@millrace/query';
import { toRegisteredError } from '@millrace/storage';

const MAX_CONTENT_BYTES = 1_048_576;
const MAX_PAGE = 1_000;
const MAPPING = parseMapping({ dynamic: true, properties: {} });

/** The store of a plugin: a collection of the internal index, created at the first write. */
export class EnginePluginStore implements PluginStore {
  private opened: RecordStore<PluginDocument, JsonObject> | undefined;

  /** @param place returns the internal index on the configured engine; plugins receive their store before it is known */
  constructor(
    private readonly place: () => RecordPlace,
    private readonly collection: string,
  ) {}

  async get(id: string): Promise<PluginDocument | null> {
    return this.records.find(toDocumentId(id));
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
    const { version } = await this.records.put(id, content, condition);
    return { version };
  }

  async delete(id: string): Promise<boolean> {
    return this.records.delete(toDocumentId(id));
  }

  async list(page: Pick<PluginSearch, 'from' | 'size'> = {}): Promise<readonly PluginDocument[]> {
    return (await this.search(page)).documents;
  }

  async search({ from = 0, size = 10, ...body }: PluginSearch) {
    try {
      const request = parseSearch(body, { from, size: Math.min(size, MAX_PAGE) });
      const { total, records } = await this.records.search(request);
      return { total, documents: records };
    } catch (error) {
      throw toRegisteredError(error);
    }
  }

  private get records(): RecordStore<PluginDocument, JsonObject> {
    this.opened ??= new RecordStore(this.place(), {
      collection: this.collection,
      mapping: MAPPING,
      parse: ({ id, version, source }) => ({ id, version, content: source }),
      toSource: (content: JsonObject) => content,
    });
    return this.opened;
  }
}
