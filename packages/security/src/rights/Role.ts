import type { JsonObject } from '@millrace/kernel';
import type { Right } from './Right.js';

/** Names to what they stand for; `*` stands for every name that is not there itself. */
export type Named<T> = ReadonlyMap<string, T>;

/** A collection (or `*`) of a role. */
export interface CollectionGrant {
  /** May it be truncated and deleted? */
  readonly canDelete: boolean;
  /** Controller → action → right. */
  readonly controllers: Named<Named<Right>>;
}

/** An index (or `*`) of a role. */
export interface IndexGrant {
  /** May it be deleted? Not where one of the collections named below it may not, be it stored or not. */
  readonly canDelete: boolean;
  readonly canCreateCollections: boolean;
  readonly collections: Named<CollectionGrant>;
}

/** A checked role. */
export interface Role {
  readonly id: string;
  /** As sent: what is stored and returned. */
  readonly body: JsonObject;
  readonly canCreateIndexes: boolean;
  /** Both forms of a role end here: a flat one is a tree under `*` and `*`. */
  readonly indexes: Named<IndexGrant>;
}
