import { isError } from '@millrace/client';
import { useLayoutEffect, useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { JsonField, parseObject, placeOf, toText, type JsonProblem } from '../kit/JsonField.jsx';
import { Failed, Loading, messageOf } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { useUnsaved } from '../shell/route.js';
import { useSession } from '../shell/Session.js';

interface Place {
  readonly index: string;
  readonly collection: string;
}

const EXAMPLE = '{"strict": true, "fields": {"name": {"type": "string", "mandatory": true}}}';

/** Which documents a collection accepts, beyond its mapping. */
export function Specification({ index, collection }: Place) {
  const { value, error, reload } = useLoad((signal) => readSpecification({ index, collection }, signal), []);
  if (error !== undefined) return <Failed error={error} retry={reload} />;
  if (value === undefined) return <Loading />;
  return <Editor {...{ index, collection }} stored={value.specification} onChanged={reload} />;
}

async function readSpecification(
  place: Place,
  signal: AbortSignal,
): Promise<{ readonly specification: Fields | null }> {
  try {
    const { validation } = await run<{ validation: Fields }>('collection.getSpecifications', { ...place }, { signal });
    return { specification: validation };
  } catch (error) {
    if (isError(error, 'validation.no_specification')) return { specification: null };
    throw error;
  }
}

function Editor({
  index,
  collection,
  stored,
  onChanged,
}: Place & { readonly stored: Fields | null; readonly onChanged: () => void }) {
  const { rights } = useSession();
  const saved = stored === null ? '' : toText(stored);
  const [text, setText] = useState(saved);
  const [problem, setProblem] = useState<JsonProblem>();
  const [error, setError] = useState<unknown>();
  const [note, setNote] = useState('');
  useLayoutEffect(() => setText(saved), [saved]);
  useUnsaved(text === saved ? undefined : 'the specification', ['tab']);
  const mayWrite = rights.may('collection.updateSpecifications', index, collection);
  const mayRemove = rights.may('collection.deleteSpecifications', index, collection);
  const change = async (done: string, write: () => Promise<unknown>) => {
    setNote('');
    setError(undefined);
    try {
      await write();
      setNote(done);
      onChanged();
    } catch (failure) {
      const placed = placeOf(messageOf(failure), text);
      if (placed.at === undefined) setError(failure);
      else setProblem(placed);
    }
  };
  const save = () => {
    const parsed = parseObject(text);
    setProblem('problem' in parsed ? parsed.problem : undefined);
    if ('problem' in parsed) return;
    const body = { [index]: { [collection]: parsed.value } };
    void change('Saved.', () => run('collection.updateSpecifications', { body }));
  };
  if (stored === null && !mayWrite) return <p class="soft">Every document that fits the mapping is accepted.</p>;
  return (
    <div class="stack">
      <p class="soft small">
        Which documents are accepted: fields, their types and their values. Without one, every document that fits the
        mapping. Such as <code>{EXAMPLE}</code>
      </p>
      <JsonField
        label="Specification"
        rows={8}
        value={text}
        problem={problem}
        isReadOnly={!mayWrite}
        onChange={setText}
        onRun={save}
      />
      {error !== undefined && <Failed error={error} />}
      <div class="row">
        {mayWrite && (
          <button type="button" class="primary" disabled={text === saved} onClick={save}>
            Save the specification
          </button>
        )}
        {mayRemove && stored !== null && (
          <button
            type="button"
            class="danger-text"
            onClick={() => void change('Removed.', () => run('collection.deleteSpecifications', { index, collection }))}
          >
            Remove it
          </button>
        )}
        <span class="soft small" role="status">
          {note}
        </span>
      </div>
    </div>
  );
}
