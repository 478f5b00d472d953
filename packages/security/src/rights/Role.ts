import type { JsonObject } from '@millrace/kernel';
import type { Right } from './Right.js';

/** Entries by name; `*` stands for every name without an entry. */
export type Named<T> = ReadonlyMap<string, T>;

/** A collection (or `*`) of a role. */
export interface CollectionGrant {
  /** Whether it may be truncated and deleted. */
  readonly canDelete: boolean;
  /** Controller → action → right. */
  readonly controllers: Named<Named<Right>>;
}

/** An index (or `*`) of a role. */
export interface IndexGrant {
  /** Whether it may be deleted. False if a collection listed below it may not be deleted, stored or not. */
  readonly canDelete: boolean;
  readonly canCreateCollections: boolean;
  readonly collections: Named<CollectionGrant>;
}

/** A validated role. */
export interface Role {
  readonly id: string;
  /** As sent; stored and returned in this form. */
  readonly body: JsonObject;
  readonly canCreateIndexes: boolean;
  /** Both forms of a role are converted to this: a flat role is a tree under `*` and `*`. */
  readonly indexes: Named<IndexGrant>;
}
