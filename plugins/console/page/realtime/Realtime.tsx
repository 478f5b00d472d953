import { run } from '../connection.js';
import { Empty, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { navigate, useRoute } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import { NamedSubscriptions } from './NamedSubscriptions.jsx';
import { Publish } from './Publish.jsx';
import { Watch } from './Watch.jsx';

type Rooms = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;

/** The rooms that have subscribers, and the events of a collection as they are made. */
export function Realtime() {
  const { query } = useRoute();
  const { rights, isAnonymous } = useSession();
  const rooms = useLoad((signal) => run<Rooms>('realtime.list', {}, { signal }), []);
  return (
    <section class="collection" aria-label="Realtime">
      <header class="collection-head">
        <h1>Realtime</h1>
      </header>
      <div class="page">
        <Watch
          index={query['index'] ?? ''}
          collection={query['collection'] ?? ''}
          filter={query['filter'] ?? ''}
          cursor={query['cursor'] ?? ''}
          onWatch={(watched) => navigate(['realtime'], { ...watched })}
        />
        {rights.mayAnywhere('realtime.publish') && (
          <Publish
            key={`${query['index']}/${query['collection']}`}
            index={query['index'] ?? ''}
            collection={query['collection'] ?? ''}
          />
        )}
        {!isAnonymous && <NamedSubscriptions />}
        <section class="card stack">
          <header class="row spread">
            <h2>Rooms</h2>
            <button type="button" class="quiet" onClick={rooms.reload}>
              Read again
            </button>
          </header>
          <Show loaded={rooms}>{(value) => <RoomList rooms={value} />}</Show>
        </section>
      </div>
    </section>
  );
}

function RoomList({ rooms }: { readonly rooms: Rooms }) {
  const rows = Object.entries(rooms).flatMap(([index, collections]) =>
    Object.entries(collections).flatMap(([collection, own]) =>
      Object.entries(own).map(([room, count]) => ({ index, collection, room, count })),
    ),
  );
  if (rows.length === 0) {
    return (
      <Empty title="No subscriptions at present">
        <p class="soft">A room exists while a client has subscribed to its filter.</p>
      </Empty>
    );
  }
  return (
    <div class="grid plain">
      <table>
        <thead>
          <tr>
            <th scope="col">Collection</th>
            <th scope="col">Room</th>
            <th scope="col" class="number">
              Subscribers
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ index, collection, room, count }) => (
            <tr key={`${index}/${collection}/${room}`}>
              <td data-label="Collection">
                <bdi>
                  {index}/{collection}
                </bdi>
              </td>
              <td data-label="Room">
                <code>{room.slice(0, 40)}</code>
              </td>
              <td class="number" data-label="Subscribers">
                {count}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
