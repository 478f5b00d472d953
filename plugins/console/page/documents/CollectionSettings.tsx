import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { JsonField, parseObject, placeOf, toText, type JsonProblem } from '../kit/JsonField.jsx';
import { Show, messageOf } from '../kit/States.jsx';
import type { Loaded } from '../kit/useLoad.js';
import { forgetUnsaved, navigate, useUnsaved } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import { MappingPlan } from './MappingPlan.jsx';
import { RecordedChanges } from './RecordedChanges.jsx';
import { Specification } from './Specification.jsx';
import { WhoMay } from './WhoMay.jsx';

/** The mapping of a collection, what it accepts, what is recorded, who may use it, and what empties or deletes it. */
export function CollectionSettings({
  index,
  collection,
  mapping,
  onDeleted,
}: {
  readonly index: string;
  readonly collection: string;
  readonly mapping: Loaded<Fields>;
  readonly onDeleted: () => void;
}) {
  const { rights } = useSession();
  const [open, setOpen] = useState<'truncate' | 'delete'>();
  const mayTruncate = rights.may('collection.truncate', index, collection);
  const mayDelete = rights.may('collection.delete', index, collection);
  const target = { index, collection };
  return (
    <div class="page">
      <section class="card stack">
        <h2>Mapping</h2>
        <Show loaded={mapping}>{(value) => <Mapping {...target} value={value} onSaved={mapping.reload} />}</Show>
      </section>
      {rights.may('collection.getSpecifications', index, collection) && (
        <section class="card stack">
          <h2>Validation</h2>
          <Specification key={`${index}/${collection}`} {...target} />
        </section>
      )}
      {rights.may('realtime.subscribe', index, collection) && (
        <section class="card stack">
          <h2>Change log</h2>
          <RecordedChanges {...target} />
        </section>
      )}
      {rights.may('security.searchRoles') && (
        <section class="card stack">
          <h2>Who may do what here</h2>
          <WhoMay {...target} />
        </section>
      )}
      {(mayTruncate || mayDelete) && (
        <section class="card stack">
          <h2>Remove</h2>
          {mayTruncate && (
            <div class="row spread">
              <p>
                Empty the collection <span class="soft small">its mapping stays</span>
              </p>
              <button type="button" class="danger-text" onClick={() => setOpen('truncate')}>
                Empty…
              </button>
            </div>
          )}
          {mayDelete && (
            <div class="row spread">
              <p>
                Delete the collection <span class="soft small">with its documents and its mapping</span>
              </p>
              <button type="button" class="danger-text" onClick={() => setOpen('delete')}>
                Delete…
              </button>
            </div>
          )}
        </section>
      )}
      {open !== undefined && (
        <Confirm
          title={open === 'delete' ? 'Delete the collection?' : 'Empty the collection?'}
          verb={open === 'delete' ? 'Delete' : 'Empty'}
          typed={collection}
          onClose={() => setOpen(undefined)}
          onConfirm={async () => {
            await run(`collection.${open}`, target);
            forgetUnsaved();
            onDeleted();
            navigate(open === 'delete' ? ['data'] : ['data', index, collection]);
          }}
        >
          <Size {...target} />
        </Confirm>
      )}
    </div>
  );
}

function Size(target: { readonly index: string; readonly collection: string }) {
  const [count, setCount] = useState<number>();
  useEffect(() => {
    run<{ count: number }>('document.count', { ...target })
      .then((found) => setCount(found.count))
      .catch(() => undefined);
  }, []);
  return (
    <p>
      <bdi>
        {target.index}/{target.collection}
      </bdi>{' '}
      {count === undefined ? '' : `with ${count.toLocaleString()} documents. `}This can’t be undone.
    </p>
  );
}

function Mapping({
  index,
  collection,
  value,
  onSaved,
}: {
  readonly index: string;
  readonly collection: string;
  readonly value: Fields;
  readonly onSaved: () => void;
}) {
  const { rights } = useSession();
  const [text, setText] = useState(toText(value));
  const [problem, setProblem] = useState<JsonProblem>();
  const [note, setNote] = useState('');
  useLayoutEffect(() => setText(toText(value)), [value]);
  useUnsaved(text === toText(value) ? undefined : 'the mapping', ['tab']);
  const isReadOnly = !rights.may('collection.updateMapping', index, collection);
  const edited = parseObject(text);
  const save = async () => {
    setProblem('problem' in edited ? edited.problem : undefined);
    setNote('');
    if ('problem' in edited) return;
    try {
      await run('collection.updateMapping', { index, collection, body: edited.value });
      setNote('Saved.');
      onSaved();
    } catch (failure) {
      setProblem(placeOf(messageOf(failure), text));
    }
  };
  return (
    <div class="stack">
      <p class="soft small">New fields can be added; the type of a field that exists stays.</p>
      <JsonField
        label="Mapping"
        rows={18}
        value={text}
        problem={problem}
        isReadOnly={isReadOnly}
        onChange={setText}
        onRun={() => void save()}
      />
      {'value' in edited && text !== toText(value) && (
        <MappingPlan {...{ index, collection }} present={value} wanted={edited.value} />
      )}
      {!isReadOnly && (
        <div class="row">
          <button type="button" class="primary" disabled={text === toText(value)} onClick={() => void save()}>
            Save the mapping
          </button>
          <span class="soft small" role="status">
            {note}
          </span>
        </div>
      )}
    </div>
  );
}
