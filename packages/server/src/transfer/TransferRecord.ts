import type { CollectionName, JsonObject } from '@millrace/kernel';

/** The version of the format; a newer one is refused. */
export const TRANSFER_FORMAT = 1;

/**
 * One line of an export. A `collection` is followed by its documents. The `end` tells that the export is complete.
 */
export type TransferRecord =
  | {
      readonly type: 'export';
      readonly format: number;
      readonly millrace: string;
      /** When it was made, by ISO 8601: two exports differ from the first line. */
      readonly at: string;
    }
  | { readonly type: 'index'; readonly index: string }
  | (CollectionName & {
      readonly type: 'collection';
      /** Null: the exporting user may not read it. */
      readonly mapping: JsonObject | null;
    })
  /** After the documents, which may be older and not fit it. */
  | (CollectionName & { readonly type: 'specification'; readonly specification: JsonObject })
  | { readonly type: 'document'; readonly _id: string; readonly _source: JsonObject }
  | {
      /** A stored user, profile, role, … of the internal index. */
      readonly type: 'account';
      readonly collection: string;
      readonly _id: string;
      readonly _source: JsonObject;
    }
  | { readonly type: 'accountMapping'; readonly collection: string; readonly mapping: JsonObject }
  | { readonly type: 'end'; readonly documents: number; readonly accounts: number };
