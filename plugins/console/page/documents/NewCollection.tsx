import { useState } from 'preact/hooks';
import { run } from '../connection.js';
import { DialogEnd } from '../kit/DialogEnd.jsx';
import { JsonField, parseObject, placeOf, type JsonProblem } from '../kit/JsonField.jsx';
import { Modal } from '../kit/Modal.jsx';
import { messageOf } from '../kit/States.jsx';
import { navigate } from '../shell/route.js';

const EXAMPLE = '{\n  "properties": {\n    "title": { "type": "text" },\n    "year": { "type": "integer" }\n  }\n}';

/** The form for a new collection, and its index if that is new too. */
export function NewCollection({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: () => void;
}) {
  const [index, setIndex] = useState('');
  const [name, setName] = useState('');
  const [mapping, setMapping] = useState('');
  const [problem, setProblem] = useState<JsonProblem>();
  const [error, setError] = useState<unknown>();
  const submit = async (event: Event) => {
    event.preventDefault();
    const parsed = parseObject(mapping);
    setProblem('problem' in parsed ? parsed.problem : undefined);
    setError(undefined);
    if ('problem' in parsed) return;
    try {
      const exists = await run<boolean>('index.exists', { index });
      if (!exists) await run('index.create', { index });
      await run('collection.create', { index, collection: name, body: parsed.value });
    } catch (failure) {
      const placed = placeOf(messageOf(failure), mapping);
      if (placed.at === undefined) setError(failure);
      else setProblem(placed);
      return;
    }
    onCreated();
    navigate(['data', index, name]);
    onClose();
  };
  return (
    <Modal title="New collection" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <div class="row fields">
          <label class="field">
            <span>Index</span>
            <input
              required
              autofocus
              value={index}
              placeholder="library"
              onInput={(event) => setIndex(event.currentTarget.value)}
            />
          </label>
          <label class="field">
            <span>Collection</span>
            <input required value={name} placeholder="books" onInput={(event) => setName(event.currentTarget.value)} />
          </label>
        </div>
        <div class="field">
          <span>
            Mapping <span class="soft">(optional: fields that it lacks get the type of their first value)</span>
          </span>
          <JsonField label="Mapping" rows={8} value={mapping} problem={problem} onChange={setMapping} />
          {mapping === '' && (
            <button type="button" class="quiet" onClick={() => setMapping(EXAMPLE)}>
              Insert an example
            </button>
          )}
        </div>
        <DialogEnd verb="Create" error={error} onClose={onClose} />
      </form>
    </Modal>
  );
}
