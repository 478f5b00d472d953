import type { PresenceList, RealtimeEvent, Subscription } from '@millrace/client/realtime';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../connection.js';
import { Copy } from '../kit/Copy.jsx';
import { JsonField, parseObject, placeOf, type JsonProblem } from '../kit/JsonField.jsx';
import { Failed, messageOf } from '../kit/States.jsx';
import { useSession } from '../shell/Session.js';

interface Watched {
  readonly index: string;
  readonly collection: string;
  readonly filter: string;
  /** Position after which changes are replayed first; empty: only those from now on. */
  readonly cursor: string;
}

interface Line {
  readonly number: number;
  readonly event: RealtimeEvent<unknown>;
}

/** Older events are forgotten. */
const MAX_LINES = 500;
const MAX_CHARACTERS = 200;

/** The events of a collection that a filter matches, the newest first. */
export function Watch({
  index,
  collection,
  filter,
  cursor,
  onWatch,
}: Watched & { readonly onWatch: (watched: Watched) => void }) {
  const [form, setForm] = useState({ index, collection, filter, cursor });
  // Another address, as of a named subscription.
  useEffect(() => setForm({ index, collection, filter, cursor }), [index, collection, filter, cursor]);
  const [problem, setProblem] = useState<JsonProblem>();
  const isWatching = index !== '' && collection !== '';
  const submit = () => {
    const parsed = parseObject(form.filter);
    setProblem('problem' in parsed ? parsed.problem : undefined);
    if (!('problem' in parsed)) onWatch(form);
  };
  const set = (changes: Partial<Watched>) => setForm((last) => ({ ...last, ...changes }));
  return (
    <section class="card stack">
      <h2>Watch a collection</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div class="row fields">
          <label class="field">
            <span>Index</span>
            <input required value={form.index} onInput={(event) => set({ index: event.currentTarget.value })} />
          </label>
          <label class="field">
            <span>Collection</span>
            <input
              required
              value={form.collection}
              onInput={(event) => set({ collection: event.currentTarget.value })}
            />
          </label>
        </div>
        <label class="field">
          <span>
            After position <span class="soft small">replays what was missed since then; empty: from now on</span>
          </span>
          <input
            class="code"
            autocomplete="off"
            value={form.cursor}
            onInput={(event) => set({ cursor: event.currentTarget.value })}
          />
        </label>
        <div class="field">
          <span>
            Filter <span class="soft small">JSON; empty: everything</span>
          </span>
          <JsonField
            label="Filter"
            rows={3}
            value={form.filter}
            problem={problem}
            onChange={(text) => set({ filter: text })}
            onRun={submit}
          />
        </div>
        <div class="row">
          <button type="submit" class="primary">
            Watch
          </button>
          {isWatching && (
            <button type="button" onClick={() => onWatch({ index: '', collection: '', filter: '', cursor: '' })}>
              Stop
            </button>
          )}
        </div>
      </form>
      {isWatching && (
        <Events
          key={`${index}/${collection}/${filter}/${cursor}`}
          index={index}
          collection={collection}
          filter={filter}
          cursor={cursor}
          onProblem={(message) => setProblem(placeOf(message, filter))}
        />
      )}
    </section>
  );
}

function Events({
  index,
  collection,
  filter,
  cursor,
  onProblem,
}: Watched & { readonly onProblem: (message: string) => void }) {
  const { rights } = useSession();
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [isReady, setReady] = useState(false);
  const [isPaused, setPaused] = useState(false);
  const [error, setError] = useState<unknown>();
  const [present, setPresent] = useState<PresenceList>();
  const paused = useRef(false);
  const count = useRef(0);
  const subscription = useRef<Subscription<unknown>>(null);
  const mayPresence = rights.may('realtime.presence', index, collection);
  useEffect(() => {
    const parsed = parseObject(filter);
    if ('problem' in parsed) return undefined;
    const options = { users: 'all', ...(cursor === '' ? undefined : { cursor }) } as const;
    const opened = client.collection(index, collection).subscribe(parsed.value, options);
    subscription.current = opened;
    const readPresence = () => {
      if (!mayPresence) return;
      // While the connection is lost, the last list stays.
      opened.presence().then(setPresent, () => undefined);
    };
    const read = async () => {
      try {
        for await (const event of opened) {
          const line = { number: ++count.current, event: event as RealtimeEvent<unknown> };
          if (event.kind === 'users') readPresence();
          if (!paused.current) setLines((last) => [line, ...last].slice(0, MAX_LINES));
        }
      } catch (failure) {
        setError(failure);
        onProblem(messageOf(failure));
      }
    };
    void read();
    opened.ready.then(
      () => {
        setReady(true);
        readPresence();
      },
      // The loop gets the error.
      () => undefined,
    );
    return () => opened.close();
  }, []);
  if (error !== undefined) return <Failed error={error} />;
  const position = subscription.current?.cursor;
  return (
    <div class="stack">
      <div class="row">
        <button
          type="button"
          aria-pressed={isPaused}
          onClick={() => {
            paused.current = !isPaused;
            setPaused(!isPaused);
          }}
        >
          {isPaused ? 'Continue' : 'Pause'}
        </button>
        <button type="button" class="quiet" onClick={() => setLines([])}>
          Clear
        </button>
        {position !== undefined && (
          <span class="row soft small">
            Position{' '}
            <code>
              <bdi>{position}</bdi>
            </code>
            <Copy text={position} />
          </span>
        )}
      </div>
      {present !== undefined && <Presence present={present} />}
      {lines.length === 0 ? (
        <p class="soft" data-state="empty">
          {isReady ? `Waiting for changes of ${index}/${collection}…` : 'Subscribing…'}
        </p>
      ) : (
        <ol class="events" data-state="events" tabIndex={0} aria-label="Events, the newest first">
          {lines.map(({ number, event }) => (
            <li key={number} class={event.kind === 'gap' ? 'gap' : ''}>
              <EventLine event={event} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** The connections in the room, this one included, and the users that show themselves. */
function Presence({ present: { count, users } }: { readonly present: PresenceList }) {
  return (
    <div class="row" role="status" aria-label="Presence">
      <span>
        {count} {count === 1 ? 'connection' : 'connections'} in the room
      </span>
      {users.map(({ userId, presence, since }, position) => (
        <span class="chip pad-end" key={position} title={`since ${new Date(since).toLocaleString()}`}>
          <bdi>
            {userId} {JSON.stringify(presence).slice(0, MAX_CHARACTERS)}
          </bdi>
        </span>
      ))}
    </div>
  );
}

function EventLine({ event }: { readonly event: RealtimeEvent<unknown> }) {
  if (event.kind === 'gap') {
    return (
      <>
        <strong>gap</strong> <span>changes are missing: read the data again ({event.reason})</span>
      </>
    );
  }
  const time = new Date(event.timestamp).toLocaleTimeString();
  if (event.kind === 'users') {
    return (
      <>
        <time class="soft">{time}</time> <strong>{event.change === 'in' ? 'joined' : 'gone'}</strong>{' '}
        <bdi>{event.userId ?? 'a connection'}</bdi> <span class="soft">{event.count} in the room</span>
      </>
    );
  }
  const source = event.kind === 'changed' || event.kind === 'message' ? JSON.stringify(event.source) : '';
  const id = event.kind === 'changed' || event.kind === 'left' ? event.id : '';
  return (
    <>
      <time class="soft">{time}</time> <strong>{event.kind}</strong> {event.replayed && <em>missed</em>} <bdi>{id}</bdi>{' '}
      <bdi class="soft">{source.length > MAX_CHARACTERS ? `${source.slice(0, MAX_CHARACTERS)}…` : source}</bdi>
    </>
  );
}
