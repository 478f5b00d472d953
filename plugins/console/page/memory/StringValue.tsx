import { useEffect, useState } from 'preact/hooks';
import { run } from '../connection.js';
import { Pager } from '../kit/Pager.jsx';
import { Failed, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { useUnsaved } from '../shell/route.js';
import { useSession } from '../shell/Session.js';

/** Longer values are shown in parts, and can't be edited here. */
const PART_BYTES = 100_000;
const NUMBER = new Intl.NumberFormat();

/** The value of a string. */
export function StringValue({ name, onChanged }: { readonly name: string; readonly onChanged: () => void }) {
  const [from, setFrom] = useState(0);
  const part = useLoad(
    async (signal) => {
      const size = Number(await run<number>('ms.strlen', { _id: name }, { signal }));
      const range = { _id: name, start: from, end: from + PART_BYTES - 1 };
      return { size, from, text: await run<string>('ms.getrange', range, { signal }) };
    },
    [name, from],
  );
  return (
    <section class="card stack" aria-label="Value">
      <h2>Value</h2>
      <Show loaded={part}>
        {({ size, text, from: at }) => (
          <>
            <Editor
              key={at}
              name={name}
              text={text}
              isWhole={size <= PART_BYTES}
              onSaved={() => {
                part.reload();
                onChanged();
              }}
            />
            <p class="soft small">{NUMBER.format(size)} bytes</p>
            {size > PART_BYTES && (
              <Pager
                frame="row"
                label="Parts of the value"
                page={at / PART_BYTES + 1}
                last={Math.ceil(size / PART_BYTES)}
                place={`Bytes ${NUMBER.format(at)} to ${NUMBER.format(Math.min(size, at + PART_BYTES))}`}
                onPage={(page) => setFrom((page - 1) * PART_BYTES)}
              />
            )}
          </>
        )}
      </Show>
    </section>
  );
}

function Editor({
  name,
  text,
  isWhole,
  onSaved,
}: {
  readonly name: string;
  readonly text: string;
  readonly isWhole: boolean;
  readonly onSaved: () => void;
}) {
  const { rights } = useSession();
  const [draft, setDraft] = useState(text);
  const [error, setError] = useState<unknown>();
  const [note, setNote] = useState('');
  useEffect(() => setDraft(text), [text]);
  useUnsaved(draft === text ? undefined : name, []);
  // The server replaces what is not UTF-8: writing that would destroy the value.
  const isText = !text.includes('\uFFFD');
  const mayWrite = rights.mayAnywhere('memoryStorage.set');
  const isReadOnly = !isWhole || !isText || !mayWrite;
  const save = async () => {
    setError(undefined);
    setNote('');
    try {
      await run('ms.set', { _id: name, body: { value: draft, keepttl: true } });
      setNote('Saved.');
      onSaved();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {isReadOnly && (
        <p class="notice" data-state="read-only">
          {!mayWrite
            ? 'Your roles let you read the memory store, not change it.'
            : isText
              ? 'The value is too long to be edited here.'
              : 'The value has bytes that are not text: it can’t be edited here.'}
        </p>
      )}
      <textarea
        class="code wrap"
        aria-label="Value"
        rows={Math.min(16, Math.max(3, text.split('\n').length + 1))}
        spellcheck={false}
        readOnly={isReadOnly}
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={(event) => {
          const isSave = event.key === 's' || event.key === 'Enter';
          if (!isSave || !(event.ctrlKey || event.metaKey) || isReadOnly) return;
          event.preventDefault();
          void save();
        }}
      />
      {error !== undefined && <Failed error={error} />}
      {!isReadOnly && (
        <div class="row">
          <button type="submit" class="primary" disabled={draft === text}>
            Save
          </button>
          <span class="soft small" role="status">
            {note}
          </span>
        </div>
      )}
    </form>
  );
}
