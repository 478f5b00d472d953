import { useState } from 'preact/hooks';
import { client, type Fields } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { useSession } from '../shell/Session.js';
import { JsonField, parseObject, type JsonProblem } from '../kit/JsonField.jsx';
import { Modal } from '../kit/Modal.jsx';
import { Failed } from '../kit/States.jsx';

interface SelectionProps {
  readonly index: string;
  readonly collection: string;
  readonly ids: readonly string[];
  readonly onDone: () => void;
  readonly onClear: () => void;
}

/** Actions on the selected documents, each with a preview. */
export function Selection({ index, collection, ids, onDone, onClear }: SelectionProps) {
  const { rights } = useSession();
  const [open, setOpen] = useState<'delete' | 'change'>();
  return (
    <div class="selection" role="region" aria-label="Selection">
      <strong role="status">{ids.length} selected</strong>
      {rights.may('document.mUpdate', index, collection) && (
        <button type="button" onClick={() => setOpen('change')}>
          Set fields…
        </button>
      )}
      {rights.may('document.mDelete', index, collection) && (
        <button type="button" class="danger-text" onClick={() => setOpen('delete')}>
          Delete…
        </button>
      )}
      <button type="button" class="quiet" onClick={onClear}>
        Clear
      </button>
      {open === 'delete' && (
        <Confirm
          title={`Delete ${ids.length} documents?`}
          verb={`Delete ${ids.length}`}
          onClose={() => setOpen(undefined)}
          onConfirm={async () => {
            const { errors } = await client.collection(index, collection).mDelete(ids);
            if (errors.length > 0) throw new Error(`${errors.length} were not deleted: ${errors[0]?.reason ?? ''}`);
            onDone();
          }}
        >
          <Preview ids={ids} />
          <p class="soft">This can’t be undone.</p>
        </Confirm>
      )}
      {open === 'change' && (
        <SetFields {...{ index, collection, ids }} onClose={() => setOpen(undefined)} onDone={onDone} />
      )}
    </div>
  );
}

const MAX_LISTED = 8;

function Preview({ ids }: { readonly ids: readonly string[] }) {
  return (
    <ul class="preview">
      {ids.slice(0, MAX_LISTED).map((id) => (
        <li key={id}>
          <bdi>{id}</bdi>
        </li>
      ))}
      {ids.length > MAX_LISTED && <li class="soft">and {ids.length - MAX_LISTED} more</li>}
    </ul>
  );
}

function SetFields({
  index,
  collection,
  ids,
  onClose,
  onDone,
}: Omit<SelectionProps, 'onClear'> & { readonly onClose: () => void }) {
  const [text, setText] = useState('{\n  \n}');
  const [problem, setProblem] = useState<JsonProblem>();
  const [error, setError] = useState<unknown>();
  const submit = async () => {
    const parsed = parseObject(text);
    setProblem('problem' in parsed ? parsed.problem : undefined);
    if ('problem' in parsed) return;
    const changes: Fields = parsed.value;
    try {
      const items = ids.map((id) => ({ id, source: changes }));
      const { errors } = await client.collection(index, collection).mUpdate(items);
      if (errors.length > 0) throw new Error(`${errors.length} were not changed: ${errors[0]?.reason ?? ''}`);
      onDone();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Modal title={`Set fields of ${ids.length} documents`} onClose={onClose}>
      <div class="stack">
        <Preview ids={ids} />
        <JsonField
          label="Fields to set"
          rows={6}
          value={text}
          problem={problem}
          onChange={setText}
          onRun={() => void submit()}
        />
        {error !== undefined && <Failed error={error} />}
        <div class="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" class="primary" onClick={() => void submit()}>
            Change {ids.length}
          </button>
        </div>
      </div>
    </Modal>
  );
}
