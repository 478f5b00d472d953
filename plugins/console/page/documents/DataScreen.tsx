import { useState } from 'preact/hooks';
import { toHash, useRoute } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import { CollectionTree } from './CollectionTree.jsx';
import { CollectionView } from './CollectionView.jsx';
import { NewCollection } from './NewCollection.jsx';
import { useCollections } from './useCollections.js';
import { Empty, Show } from '../kit/States.jsx';

/** Indexes and collections at the left, the chosen collection at the right. */
export function DataScreen() {
  const { path } = useRoute();
  const { rights } = useSession();
  const [, index, collection] = path;
  const collections = useCollections();
  const { value, reload } = collections;
  const [isCreating, setCreating] = useState(false);
  const create = rights.mayAnywhere('collection.create') ? () => setCreating(true) : undefined;
  const isChosen = index !== undefined && collection !== undefined;
  return (
    <div class={`data ${isChosen ? 'chosen' : ''}`}>
      <aside class="side" aria-label="Collections">
        <Show loaded={collections} lines={8}>
          {(indexes) => (
            <CollectionTree indexes={indexes} current={isChosen ? `${index}/${collection}` : ''} onCreate={create} />
          )}
        </Show>
      </aside>
      <div class="pane">
        {isChosen ? (
          <CollectionView key={`${index}/${collection}`} index={index} collection={collection} onListChanged={reload} />
        ) : value !== undefined && value.length === 0 ? (
          <Empty title="No data yet">
            <p class="soft">
              Create a collection here, or store a document by a program: its index and collection are then created.
            </p>
            {create !== undefined && (
              <button type="button" class="primary" onClick={create}>
                New collection
              </button>
            )}
          </Empty>
        ) : (
          <Empty title="Choose a collection">
            <p class="soft">
              Its documents appear here. Everything that is shown can also be sent as a message: see{' '}
              <a href={toHash(['actions'])}>Actions</a>.
            </p>
          </Empty>
        )}
      </div>
      {isCreating && <NewCollection onClose={() => setCreating(false)} onCreated={reload} />}
    </div>
  );
}
