import type { JsonObject } from '../json/Json.js';

/** A document of a plugin's store. */
export interface PluginDocument {
  readonly id: string;
  /** 1 at creation, incremented with each change. */
  readonly version: number;
  readonly content: JsonObject;
}

/** The search options of a store. */
export interface PluginSearch {
  /** In the query language of `document.search`; absent: all documents. */
  readonly query?: JsonObject;
  /** As in `document.search`. */
  readonly sort?: JsonObject | readonly JsonObject[];
  /** Default 0. */
  readonly from?: number;
  /** 0 to 1,000, default 10. */
  readonly size?: number;
}

/**
 * A private storage area of a plugin (`host.store`): documents in the internal index, which requests can't access.
 * Works on every engine, is shared by the nodes of a cluster, and documents are searchable as soon as a write resolves.
 * Usable once the engine has started (from `server.started` on); while the storage is unavailable, calls reject with
 * storage.unavailable (503).
 */
export interface PluginStore {
  /** @returns null if there is none */
  get(id: string): Promise<PluginDocument | null>;
  /**
   * Creates or replaces a document.
   * @param content at most 1 MiB of JSON
   * @param options.ifVersion the version it must have; 0: it must not exist; default: any
   * @returns the new version
   * @throws document.version_conflict, document.already_exists (409), document.not_found (404) because of `ifVersion`;
   *   core.store_too_large (413); document.invalid_value (400) if a field has another type than in earlier documents
   */
  put(
    id: string,
    content: JsonObject,
    options?: { readonly ifVersion?: number },
  ): Promise<{ readonly version: number }>;
  /** @returns false if there was none */
  delete(id: string): Promise<boolean>;
  /** Documents in no particular order. @param page as in `search`; default: the first 10 */
  list(page?: Pick<PluginSearch, 'from' | 'size'>): Promise<readonly PluginDocument[]>;
  /** @throws query.invalid (400) */
  search(search: PluginSearch): Promise<{ readonly total: number; readonly documents: readonly PluginDocument[] }>;
}
