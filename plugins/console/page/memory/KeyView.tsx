import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { run } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { Empty, Failed, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { forgetUnsaved } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import { Elements } from './Elements.jsx';
import { KINDS } from './kinds.js';
import { StringValue } from './StringValue.jsx';

interface About {
  readonly type: string;
  /** Remaining life; -1: it doesn't expire. */
  readonly ttlMs: number;
}

/** One key: its value by its type, its expiry, and what deletes it. */
export function KeyView({
  name,
  back,
  onGone,
  onChanged,
}: {
  readonly name: string;
  readonly back: ComponentChildren;
  readonly onGone: () => void;
  readonly onChanged: () => void;
}) {
  const { rights } = useSession();
  const [isDeleting, setDeleting] = useState(false);
  const about = useLoad<About>(
    async (signal) => {
      const [type, ttlMs] = await Promise.all([
        run<string>('ms.type', { _id: name }, { signal }),
        run<number>('ms.pttl', { _id: name }, { signal }),
      ]);
      return { type, ttlMs: Number(ttlMs) };
    },
    [name],
  );
  const reload = () => {
    about.reload();
    onChanged();
  };
  return (
    <section class="page" aria-label={`Key ${name}`}>
      <header class="row">
        {back}
        <h1 class="key-name">
          <bdi>{name}</bdi>
        </h1>
        {about.value !== undefined && about.value.type !== 'none' && (
          <span class="soft">{KINDS[about.value.type]?.title ?? 'String'}</span>
        )}
        <span class="grow" />
        <button type="button" class="quiet" onClick={reload}>
          Read again
        </button>
        {rights.mayAnywhere('memoryStorage.del') && about.value?.type !== 'none' && (
          <button type="button" class="quiet danger-text" onClick={() => setDeleting(true)}>
            Delete…
          </button>
        )}
      </header>
      <Show loaded={about}>
        {({ type, ttlMs }) => {
          const kind = KINDS[type];
          if (type === 'none')
            return (
              <Empty title="There is no such key">
                <p class="soft">It has expired, or was deleted.</p>
              </Empty>
            );
          return (
            <>
              {kind === undefined ? (
                <StringValue name={name} onChanged={reload} />
              ) : (
                <Elements name={name} type={type} kind={kind} onChanged={reload} />
              )}
              <Expiry key={ttlMs} name={name} ttlMs={ttlMs} onChanged={reload} />
            </>
          );
        }}
      </Show>
      {isDeleting && (
        <Confirm
          title="Delete the key?"
          verb="Delete"
          typed={name}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await run('ms.del', { _id: name });
            forgetUnsaved();
            onGone();
          }}
        >
          <p>The key and its value are deleted. This can’t be undone.</p>
        </Confirm>
      )}
    </section>
  );
}

function Expiry({
  name,
  ttlMs,
  onChanged,
}: {
  readonly name: string;
  readonly ttlMs: number;
  readonly onChanged: () => void;
}) {
  const { rights } = useSession();
  const [seconds, setSeconds] = useState('');
  const [error, setError] = useState<unknown>();
  const change = async (action: string, body: Readonly<Record<string, unknown>>) => {
    try {
      await run(action, { _id: name, body });
      onChanged();
    } catch (failure) {
      setError(failure);
    }
  };
  const expiresAt = new Date(Date.now() + ttlMs);
  return (
    <section class="card stack" aria-label="Expiry">
      <h2>Expiry</h2>
      <p>{ttlMs < 0 ? 'The key stays until it is deleted.' : `The key is deleted ${expiresAt.toLocaleString()}.`}</p>
      {rights.mayAnywhere('memoryStorage.expire') && (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void change('ms.expire', { seconds: Number(seconds) });
          }}
        >
          <label class="row">
            <span>Delete it in</span>
            <input
              class="short"
              required
              inputMode="numeric"
              pattern="[1-9][0-9]*"
              title="A number of seconds"
              aria-label="Seconds until the key is deleted"
              value={seconds}
              onInput={(event) => setSeconds(event.currentTarget.value)}
            />
            <span>seconds</span>
          </label>
          <button type="submit">Set</button>
          {ttlMs >= 0 && (
            <button type="button" onClick={() => void change('ms.persist', {})}>
              Keep it
            </button>
          )}
        </form>
      )}
      {error !== undefined && <Failed error={error} />}
    </section>
  );
}
