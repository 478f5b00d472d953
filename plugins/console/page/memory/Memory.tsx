import { useEffect, useState } from 'preact/hooks';
import { run } from '../connection.js';
import { Empty, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { navigate, toHash, useRoute } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import { CommandLine } from './CommandLine.jsx';
import { KeyView } from './KeyView.jsx';
import { NewKey } from './NewKey.jsx';

/** Beyond this many keys the list is read on request only: the store goes through all of its keys. */
const MAX_UNASKED = 10_000;
const MAX_SHOWN = 500;
const NUMBER = new Intl.NumberFormat();

/** The keys of the memory store that match a pattern, and the chosen one. */
export function Memory() {
  const { path, query } = useRoute();
  const { rights } = useSession();
  const [, key] = path;
  const isCommands = query['tab'] === 'commands';
  const pattern = query['pattern'] ?? '*';
  const [wanted, setWanted] = useState('');
  const [isCreating, setCreating] = useState(false);
  const size = useLoad((signal) => run<number>('ms.dbsize', {}, { signal }), []);
  const isLarge = size.value !== undefined && Number(size.value) > MAX_UNASKED && wanted !== pattern;
  const keys = useLoad(
    async (signal) =>
      size.value === undefined || isLarge
        ? undefined
        : { pattern, names: await run<string[]>('ms.keys', { pattern }, { signal }) },
    [pattern, size.value, isLarge],
  );
  const close = () => {
    size.reload();
    keys.reload();
    navigate(['memory'], { pattern: query['pattern'] });
  };
  return (
    <div class={`data ${key === undefined && !isCommands ? '' : 'chosen'}`}>
      <aside class="side" aria-label="Keys">
        <Show loaded={size} lines={8}>
          {(count) => (
            <>
              <Pattern
                pattern={pattern}
                onSearch={(next) => {
                  setWanted(next);
                  size.reload();
                  keys.reload();
                  navigate(['memory'], { pattern: next === '*' ? undefined : next });
                }}
                onCreate={rights.mayAnywhere('memoryStorage.set') ? () => setCreating(true) : undefined}
              />
              <nav class="tree fixed" aria-label="Memory store">
                <a href={toHash(['memory'], { tab: 'commands' })} aria-current={isCommands ? 'page' : undefined}>
                  Command line
                </a>
              </nav>
              {isLarge ? (
                <Empty title={`${NUMBER.format(Number(count))} keys`}>
                  <p class="soft">The store goes through all of them to find those that match.</p>
                  <button type="button" onClick={() => setWanted(pattern)}>
                    List the keys
                  </button>
                </Empty>
              ) : (
                <Show loaded={keys} lines={8}>
                  {({ names }) => <Keys names={names} count={Number(count)} current={key} pattern={pattern} />}
                </Show>
              )}
            </>
          )}
        </Show>
      </aside>
      <div class="pane">
        {isCommands ? (
          <section class="page" aria-label="Memory store">
            <header class="row">
              <Back />
              <h1>Command line</h1>
            </header>
            <CommandLine onRun={keys.reload} />
          </section>
        ) : key === undefined ? (
          <Empty title="Choose a key">
            <p class="soft">
              Its value appears here. The <a href={toHash(['memory'], { tab: 'commands' })}>command line</a> runs every
              command.
            </p>
          </Empty>
        ) : (
          <KeyView key={key} name={key} back={<Back />} onGone={close} onChanged={keys.reload} />
        )}
      </div>
      {isCreating && (
        <NewKey
          onClose={() => setCreating(false)}
          onCreated={(name) => {
            setCreating(false);
            size.reload();
            keys.reload();
            navigate(['memory', name], { pattern: query['pattern'] });
          }}
        />
      )}
    </div>
  );
}

/** On a phone, where the list is not next to the key. */
function Back() {
  return (
    <a class="back" href={toHash(['memory'])} aria-label="All keys">
      ‹
    </a>
  );
}

function Pattern({
  pattern,
  onSearch,
  onCreate,
}: {
  readonly pattern: string;
  readonly onSearch: (pattern: string) => void;
  readonly onCreate: (() => void) | undefined;
}) {
  const [text, setText] = useState(pattern);
  useEffect(() => setText(pattern), [pattern]);
  return (
    <form
      class="side-head"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text === '' ? '*' : text);
      }}
    >
      <input
        type="search"
        aria-label="Pattern of keys"
        placeholder="user:*"
        value={text === '*' ? '' : text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class="icon" aria-label="List the keys" title="List the keys">
        ⟳
      </button>
      {onCreate !== undefined && (
        <button type="button" class="icon" aria-label="New key" title="New key" onClick={onCreate}>
          +
        </button>
      )}
    </form>
  );
}

function Keys({
  names,
  count,
  current,
  pattern,
}: {
  readonly names: readonly string[];
  readonly count: number;
  readonly current: string | undefined;
  readonly pattern: string;
}) {
  const [shown, setShown] = useState(MAX_SHOWN);
  if (names.length === 0) {
    return count === 0 ? (
      <Empty title="No keys yet">
        <p class="soft">Create one with +, or set one by a program.</p>
      </Empty>
    ) : (
      <Empty title="No key matches">
        <p class="soft">{NUMBER.format(count)} keys were compared. * stands for any characters.</p>
      </Empty>
    );
  }
  const sorted = [...names].sort();
  return (
    <nav class="tree" aria-label="Keys that match">
      <p class="soft small" role="status">
        {NUMBER.format(names.length)} of {NUMBER.format(Math.max(count, names.length))} keys
      </p>
      {sorted.slice(0, shown).map((name) => (
        <a
          key={name}
          href={toHash(['memory', name], { pattern: pattern === '*' ? undefined : pattern })}
          aria-current={name === current ? 'page' : undefined}
        >
          <bdi>{name}</bdi>
        </a>
      ))}
      {sorted.length > shown && (
        <button type="button" class="link pad" onClick={() => setShown(shown + MAX_SHOWN)}>
          Show {Math.min(MAX_SHOWN, sorted.length - shown)} more
        </button>
      )}
    </nav>
  );
}
