import { useLayoutEffect, useState } from 'preact/hooks';
import { readActionNames } from '../actions/ActionCatalog.js';
import { run, type Fields } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { Drawer } from '../kit/Drawer.jsx';
import { JsonField, parseObject, placeOf, toText, type JsonProblem } from '../kit/JsonField.jsx';
import { Failed, Show, messageOf } from '../kit/States.jsx';
import { Tabs } from '../kit/Tabs.jsx';
import { useLoad } from '../kit/useLoad.js';
import { forgetUnsaved, useUnsaved } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import { ACCOUNTS, type AccountKind } from './ACCOUNTS.js';
import { WhoHasIt } from './Holders.jsx';
import { ApiKeys } from './ApiKeys.jsx';
import { Policies } from './Policies.jsx';
import { RoleRights } from './RoleRights.jsx';
import { SignOutEverywhere } from './SignOutEverywhere.jsx';
import { TryIt } from './TryIt.jsx';

/** What a drawer shows of an account. */
export type AccountView = 'rights' | 'policies' | 'json' | 'holders' | 'keys' | 'try';

interface AccountDrawerProps {
  readonly kind: AccountKind;
  /** Undefined: a new one. */
  readonly id: string | undefined;
  /** Undefined: the first of the kind. */
  readonly view: AccountView | undefined;
  readonly onView: (view: AccountView) => void;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

interface Stored {
  readonly _id: string;
  readonly _source: Fields;
}

const VIEWS: Readonly<Record<AccountKind, readonly (readonly [AccountView, string])[]>> = {
  users: [
    ['json', 'JSON'],
    ['keys', 'Keys and sessions'],
    ['try', 'Try it'],
  ],
  profiles: [
    ['policies', 'Roles'],
    ['json', 'JSON'],
    ['holders', 'Who has it'],
  ],
  roles: [
    ['rights', 'Rights'],
    ['json', 'JSON'],
    ['holders', 'Who has it'],
    ['try', 'Try it'],
  ],
};

/** Views that change the content of the account. */
const EDITORS: ReadonlySet<AccountView> = new Set(['rights', 'policies', 'json']);

/** A user, a profile or a role. */
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
  view: wanted,
  stored,
  onView,
  onClose,
  onChanged,
  onSaved,
}: AccountDrawerProps & { readonly stored: Stored; readonly onSaved: () => void }) {
  const { createAction, saveAction, deleteAction, one, explanation } = ACCOUNTS[kind];
  const { rights, reloadRights } = useSession();
  const [name, setName] = useState('');
  const [text, setText] = useState(() => toText(stored._source));
  const [problem, setProblem] = useState<JsonProblem>();
  const [error, setError] = useState<unknown>();
  const [note, setNote] = useState('');
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const [isDeleting, setDeleting] = useState(false);
  useLayoutEffect(() => setText(toText(stored._source)), [stored]);
  const isChanged = text !== toText(stored._source) || name !== '';
  useUnsaved(isChanged ? (id ?? `the new ${one}`) : undefined, ['id', 'new']);
  const isReadOnly = !rights.mayAnywhere(id === undefined ? createAction : saveAction);
  const mayTry = rights.mayAnywhere('security.explainRights');
  const views = VIEWS[kind].filter(([each]) => (id === undefined ? EDITORS.has(each) : each !== 'try' || mayTry));
  const view = views.find(([each]) => each === wanted)?.[0] ?? views[0]?.[0] ?? 'json';
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
      reloadRights();
      forgetUnsaved();
      if (id === undefined) onClose();
      else onSaved();
    } catch (failure) {
      const placed = placeOf(messageOf(failure), text);
      if (placed.at === undefined || view !== 'json') setError(failure);
      else setProblem(placed);
    }
  };
  const tabs = views.length > 1 && <Tabs label={`View of the ${one}`} value={view} options={views} onChange={onView} />;
  if (id !== undefined && !EDITORS.has(view)) {
    return (
      <div class="stack editor">
        {tabs}
        {view === 'holders' && kind !== 'users' && <WhoHasIt kind={kind} id={id} />}
        {view === 'keys' && (
          <>
            <SignOutEverywhere userId={id} />
            <ApiKeys userId={id} />
          </>
        )}
        {view === 'try' && <TryIt {...(kind === 'users' ? { userId: id } : { roleId: id })} />}
      </div>
    );
  }
  return (
    <>
      <form
        class="stack editor"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {tabs}
        <p class="soft small">{explanation}</p>
        {id === undefined && (
          <label class="field">
            <span>Name</span>
            <input required value={name} autocomplete="off" onInput={(event) => setName(event.currentTarget.value)} />
          </label>
        )}
        {view === 'json' ? (
          <JsonField
            label={`Content of the ${one}`}
            rows={18}
            value={text}
            problem={problem}
            isReadOnly={isReadOnly}
            onChange={setText}
            onRun={() => void save()}
          />
        ) : (
          <ReadableContent {...{ view, text, isReadOnly }} onChange={(content) => setText(toText(content))} />
        )}
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
              {isChanged && id !== undefined ? 'Not saved yet' : note}
            </span>
            {id !== undefined && rights.mayAnywhere(deleteAction) && (
              <button type="button" class="quiet danger-text" onClick={() => setDeleting(true)}>
                Delete…
              </button>
            )}
          </div>
        )}
      </form>
      {isDeleting && id !== undefined && (
        <Confirm
          title={`Delete the ${one}?`}
          verb="Delete"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await run(deleteAction, { _id: id });
            forgetUnsaved();
            onChanged();
            onClose();
          }}
        >
          <p>
            <code>{id}</code> can’t be restored.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** The content of a role or a profile as people read it. */
function ReadableContent({
  view,
  text,
  isReadOnly,
  onChange,
}: {
  readonly view: AccountView;
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly onChange: (content: Fields) => void;
}) {
  const names = useLoad(readActionNames, []);
  const parsed = parseObject(text);
  if ('problem' in parsed) {
    return (
      <p class="notice">
        This is no JSON object: <bdi>{parsed.problem.message}</bdi>. Correct it under JSON.
      </p>
    );
  }
  if (view === 'policies') return <Policies profile={parsed.value} {...{ isReadOnly, onChange }} />;
  return <RoleRights role={parsed.value} known={names.value} {...{ isReadOnly, onChange }} />;
}

/** Properties of users that the server adds: sent back, they could contradict the others. */
function withoutDerived({ _id, _source: { profileId: _first, suid: _suid, ...rest } }: Stored): Stored {
  return { _id, _source: rest };
}
