import { useLayoutEffect, useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { Drawer } from '../kit/Drawer.jsx';
import { JsonField, parseObject, placeOf, toText, type JsonProblem } from '../kit/JsonField.jsx';
import { Failed, Show, messageOf } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { useSession } from '../shell/Session.js';
import { ACCOUNTS, type AccountKind } from './ACCOUNTS.js';

interface AccountDrawerProps {
  readonly kind: AccountKind;
  /** Undefined: a new one. */
  readonly id: string | undefined;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

interface Stored {
  readonly _id: string;
  readonly _source: Fields;
}

/** A user, a profile or a role as JSON. */
export function AccountDrawer(props: AccountDrawerProps) {
  const { kind, id, onClose } = props;
  const { readAction, one, example } = ACCOUNTS[kind];
  const account = useLoad(
    async () =>
      id === undefined ? { _id: '', _source: example } : withoutDerived(await run<Stored>(readAction, { _id: id })),
    [kind, id],
  );
  return (
    <Drawer title={id ?? `New ${one}`} onClose={onClose}>
      <Show loaded={account}>{(stored) => <AccountForm {...props} stored={stored} onSaved={account.reload} />}</Show>
    </Drawer>
  );
}

function AccountForm({
  kind,
  id,
  stored,
  onClose,
  onChanged,
  onSaved,
}: AccountDrawerProps & { readonly stored: Stored; readonly onSaved: () => void }) {
  const { createAction, saveAction, deleteAction, one, explanation } = ACCOUNTS[kind];
  const { rights } = useSession();
  const [name, setName] = useState('');
  const [text, setText] = useState(() => toText(stored._source));
  const [problem, setProblem] = useState<JsonProblem>();
  const [error, setError] = useState<unknown>();
  const [note, setNote] = useState('');
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const [isDeleting, setDeleting] = useState(false);
  useLayoutEffect(() => setText(toText(stored._source)), [stored]);
  const isReadOnly = !rights.mayAnywhere(id === undefined ? createAction : saveAction);
  const save = async () => {
    const parsed = parseObject(text);
    setProblem('problem' in parsed ? parsed.problem : undefined);
    setError(undefined);
    setNote('');
    if ('problem' in parsed) return;
    try {
      const action = id === undefined ? createAction : saveAction;
      const saved = await run<{ warnings?: string[] }>(action, { _id: id ?? name.trim(), body: parsed.value });
      setWarnings(saved.warnings ?? []);
      setNote('Saved.');
      onChanged();
      if (id === undefined) onClose();
      else onSaved();
    } catch (failure) {
      const placed = placeOf(messageOf(failure), text);
      if (placed.at === undefined) setError(failure);
      else setProblem(placed);
    }
  };
  return (
    <form
      class="stack editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <p class="soft small">{explanation}</p>
      {id === undefined && (
        <label class="field">
          <span>Name</span>
          <input required value={name} autocomplete="off" onInput={(event) => setName(event.currentTarget.value)} />
        </label>
      )}
      <JsonField
        label={`Content of the ${one}`}
        rows={18}
        value={text}
        problem={problem}
        isReadOnly={isReadOnly}
        onChange={setText}
        onRun={() => void save()}
      />
      {warnings.map((warning) => (
        <p class="notice" key={warning}>
          {warning}
        </p>
      ))}
      {error !== undefined && <Failed error={error} />}
      {isReadOnly ? (
        <p class="notice" data-state="read-only">
          Your roles let you read this {one}, not change it.
        </p>
      ) : (
        <div class="row actions">
          <button type="submit" class="primary">
            {id === undefined ? 'Create' : 'Save'}
          </button>
          <span class="grow soft small" role="status">
            {note}
          </span>
          {id !== undefined && rights.mayAnywhere(deleteAction) && (
            <button type="button" class="quiet danger-text" onClick={() => setDeleting(true)}>
              Delete…
            </button>
          )}
        </div>
      )}
      {isDeleting && id !== undefined && (
        <Confirm
          title={`Delete the ${one}?`}
          verb="Delete"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await run(deleteAction, { _id: id });
            onChanged();
            onClose();
          }}
        >
          <p>
            <code>{id}</code> can’t be restored.
          </p>
        </Confirm>
      )}
    </form>
  );
}

/** Properties of users that the server adds: sent back, they could contradict the others. */
function withoutDerived({ _id, _source: { profileId: _first, suid: _suid, ...rest } }: Stored): Stored {
  return { _id, _source: rest };
}
