import type { RealtimeEvent } from '@millrace/client/realtime';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../connection.js';
import { JsonField, parseObject, placeOf, type JsonProblem } from '../kit/JsonField.jsx';
import { Failed, messageOf } from '../kit/States.jsx';

interface Watched {
  readonly index: string;
  readonly collection: string;
  readonly filter: string;
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
  onWatch,
}: Watched & { readonly onWatch: (watched: Watched) => void }) {
  const [form, setForm] = useState({ index, collection, filter });
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
            <button type="button" onClick={() => onWatch({ index: '', collection: '', filter: '' })}>
              Stop
            </button>
          )}
        </div>
      </form>
      {isWatching && (
        <Events
          key={`${index}/${collection}/${filter}`}
          index={index}
          collection={collection}
          filter={filter}
          onProblem={(message) => setProblem(placeOf(message, filter))}
        />
      )}
    </section>
  );
}

function Events({ index, collection, filter, onProblem }: Watched & { readonly onProblem: (message: string) => void }) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [isReady, setReady] = useState(false);
  const [isPaused, setPaused] = useState(false);
  const [error, setError] = useState<unknown>();
  const paused = useRef(false);
  const count = useRef(0);
  useEffect(() => {
    const parsed = parseObject(filter);
    if ('problem' in parsed) return undefined;
    const subscription = client.collection(index, collection).subscribe(parsed.value);
    const read = async () => {
      try {
        for await (const event of subscription) {
          const line = { number: ++count.current, event: event as RealtimeEvent<unknown> };
          if (!paused.current) setLines((last) => [line, ...last].slice(0, MAX_LINES));
        }
      } catch (failure) {
        setError(failure);
        onProblem(messageOf(failure));
      }
    };
    void read();
    subscription.ready.then(
      () => setReady(true),
      // The loop gets the error.
      () => undefined,
    );
    return () => subscription.close();
  }, []);
  if (error !== undefined) return <Failed error={error} />;
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
      </div>
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

function EventLine({ event }: { readonly event: RealtimeEvent<unknown> }) {
  if (event.kind === 'gap') {
    return (
      <>
        <strong>gap</strong> <span>changes are missing: read the data again ({event.reason})</span>
      </>
    );
  }
  const time = new Date(event.timestamp).toLocaleTimeString();
  const source = event.kind === 'changed' || event.kind === 'message' ? JSON.stringify(event.source) : '';
  const id = event.kind === 'changed' || event.kind === 'left' ? event.id : '';
  return (
    <>
      <time class="soft">{time}</time> <strong>{event.kind}</strong> <bdi>{id}</bdi>{' '}
      <bdi class="soft">{source.length > MAX_CHARACTERS ? `${source.slice(0, MAX_CHARACTERS)}…` : source}</bdi>
    </>
  );
}
