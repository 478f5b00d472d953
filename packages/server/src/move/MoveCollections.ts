import type { CollectionName } from '@millrace/kernel';

/** The collections that a move needs for itself, in the internal index. They are not copied. */
export class MoveCollections {
  /** In the embedded engine: the writes to Elasticsearch that it may not have yet. */
  readonly intents: CollectionName;
  /** In Elasticsearch: whose copy it is. */
  readonly marker: CollectionName;

  constructor(readonly internalIndex: string) {
    this.intents = { index: internalIndex, collection: 'moveIntents' };
    this.marker = { index: internalIndex, collection: 'moveMarker' };
  }

  isOwn({ index, collection }: CollectionName): boolean {
    if (index !== this.internalIndex) return false;
    return collection === this.intents.collection || collection === this.marker.collection;
  }
}
