import { useState } from 'preact/hooks';
import { client } from '../connection.js';
import { Drawer } from '../kit/Drawer.jsx';
import { JsonField, parseObject, placeOf, toText, type JsonProblem } from '../kit/JsonField.jsx';
import { Failed, messageOf } from '../kit/States.jsx';
import { forgetUnsaved, useUnsaved } from '../shell/route.js';
import { isNumeric, type Column } from './columns.js';
import { withValue } from './merge.js';

/** The form for a new document, filled with the fields of the mapping. */
export function NewDocument({
  index,
  collection,
  columns,
  onClose,
  onCreated,
}: {
  readonly index: string;
  readonly collection: string;
  readonly columns: readonly Column[];
  readonly onClose: () => void;
  readonly onCreated: (id: string) => void;
}) {
  const [id, setId] = useState('');
  const [start] = useState(() => toText(sample(columns)));
  const [text, setText] = useState(start);
  const [problem, setProblem] = useState<JsonProblem>();
  const [error, setError] = useState<unknown>();
  useUnsaved(text !== start || id !== '' ? 'the new document' : undefined, ['new']);
  const submit = async () => {
    const parsed = parseObject(text);
    setProblem('problem' in parsed ? parsed.problem : undefined);
    setError(undefined);
    if ('problem' in parsed) return;
    try {
      const given = id.trim() === '' ? {} : { id: id.trim() };
      const created = await client
        .collection(index, collection)
        .create(parsed.value, { ...given, refresh: 'wait_for' });
      forgetUnsaved();
      onCreated(created.id);
    } catch (failure) {
      const placed = placeOf(messageOf(failure), text);
      if (placed.at === undefined) setError(failure);
      else setProblem(placed);
    }
  };
  return (
    <Drawer title="New document" note={`${index}/${collection}`} onClose={onClose}>
      <form
        class="stack editor"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label class="field">
          <span>
            _id <span class="soft small">empty: the server makes one</span>
          </span>
          <input value={id} onInput={(event) => setId(event.currentTarget.value)} />
        </label>
        <div class="field">
          <span>Content</span>
          <JsonField
            label="Content"
            rows={18}
            value={text}
            problem={problem}
            onChange={setText}
            onRun={() => void submit()}
          />
        </div>
        {error !== undefined && <Failed error={error} />}
        <div class="row">
          <button type="submit" class="primary">
            Create
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Drawer>
  );
}

/** An empty value for each field that a person can easily fill in. */
function sample(columns: readonly Column[]): Readonly<Record<string, unknown>> {
  const simple = columns.filter(({ type }) => isNumeric(type) || ['text', 'keyword', 'boolean'].includes(type));
  return simple
    .slice(0, 12)
    .reduce(
      (made, { name, type }) => withValue(made, name.split('.'), isNumeric(type) ? 0 : type === 'boolean' ? false : ''),
      {},
    );
}
