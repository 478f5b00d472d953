import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { client, type Fields } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { useSession } from '../shell/Session.js';
import { DialogEnd } from '../kit/DialogEnd.jsx';
import { JsonField, parseObject, type JsonProblem } from '../kit/JsonField.jsx';
import { Modal } from '../kit/Modal.jsx';

interface SelectionProps {
  readonly index: string;
  readonly collection: string;
  readonly ids: readonly string[];
  /** The query of the list; undefined: all documents. */
  readonly query: unknown;
  /** Number of documents that match, if the whole page is selected; else undefined. */
  readonly total: number | undefined;
  readonly onDone: () => void;
  readonly onClear: () => void;
}

/** Actions on the selected documents, or on all that match, each with a preview. */
export function Selection({ index, collection, ids, query, total, onDone, onClear }: SelectionProps) {
  const { rights } = useSession();
  const [open, setOpen] = useState<'delete' | 'change'>();
  const [wantsAll, setWantsAll] = useState(false);
  const isAll = wantsAll && total !== undefined;
  const count = isAll ? total : ids.length;
  const may = (one: string, all: string) => rights.may(`document.${isAll ? all : one}`, index, collection);
  const documents = client.collection(index, collection);
  const all = (query ?? { match_all: {} }) as never;
  const remove = async () => {
    const { errors } = isAll
      ? await documents.deleteByQuery(all, { ...AT_ONCE, timeoutMs: BY_QUERY_MS })
      : await documents.mDelete(ids, AT_ONCE);
    finish(errors, 'deleted');
  };
  const change = async (changes: Fields) => {
    const { errors } = isAll
      ? await documents.updateByQuery(all, changes, { ...AT_ONCE, timeoutMs: BY_QUERY_MS })
      : await documents.mUpdate(
          ids.map((id) => ({ id, source: changes })),
          AT_ONCE,
        );
    finish(errors, 'changed');
  };
  const finish = (errors: readonly { readonly reason: string }[], what: string) => {
    if (errors.length > 0) throw new Error(`${errors.length} were not ${what}: ${errors[0]?.reason ?? ''}`);
    onDone();
  };
  const preview = <Preview ids={ids} count={count} />;
  return (
    <div class="selection" role="region" aria-label="Selection">
      <strong role="status">{count.toLocaleString()} selected</strong>
      {total !== undefined && total > ids.length && (
        <button type="button" class="quiet" aria-pressed={isAll} onClick={() => setWantsAll(!wantsAll)}>
          {isAll ? 'Only this page' : `Select all ${total.toLocaleString()} that match`}
        </button>
      )}
      {may('mUpdate', 'updateByQuery') && (
        <button type="button" onClick={() => setOpen('change')}>
          Set fields…
        </button>
      )}
      {may('mDelete', 'deleteByQuery') && (
        <button type="button" class="danger-text" onClick={() => setOpen('delete')}>
          Delete…
        </button>
      )}
      <button type="button" class="quiet" onClick={onClear}>
        Clear
      </button>
      {open === 'delete' && (
        <Confirm
          title={`Delete ${count} documents?`}
          verb={`Delete ${count}`}
          onClose={() => setOpen(undefined)}
          onConfirm={remove}
        >
          {preview}
          <p class="soft">This can’t be undone.</p>
        </Confirm>
      )}
      {open === 'change' && (
        <SetFields count={count} onChange={change} onClose={() => setOpen(undefined)}>
          {preview}
        </SetFields>
      )}
    </div>
  );
}

/** Writes of many documents take longer than other requests. */
const BY_QUERY_MS = 120_000;
/** The list is read afterwards: on Elasticsearch searches find changes later. */
const AT_ONCE = { refresh: 'wait_for' } as const;
const MAX_LISTED = 8;

function Preview({ ids, count }: { readonly ids: readonly string[]; readonly count: number }) {
  const listed = ids.slice(0, MAX_LISTED);
  return (
    <ul class="preview">
      {listed.map((id) => (
        <li key={id}>
          <bdi>{id}</bdi>
        </li>
      ))}
      {count > listed.length && <li class="soft">and {(count - listed.length).toLocaleString()} more</li>}
    </ul>
  );
}

function SetFields({
  count,
  onChange,
  onClose,
  children,
}: {
  readonly count: number;
  readonly onChange: (changes: Fields) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const [text, setText] = useState('{\n  \n}');
  const [problem, setProblem] = useState<JsonProblem>();
  const [error, setError] = useState<unknown>();
  const submit = async () => {
    const parsed = parseObject(text);
    setProblem('problem' in parsed ? parsed.problem : undefined);
    setError(undefined);
    if ('problem' in parsed) return;
    try {
      await onChange(parsed.value);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Modal title={`Set fields of ${count} documents`} onClose={onClose}>
      <div class="stack">
        {children}
        <JsonField
          label="Fields to set"
          rows={6}
          value={text}
          problem={problem}
          onChange={setText}
          onRun={() => void submit()}
        />
        <DialogEnd verb={`Change ${count}`} error={error} onClose={onClose} onRun={() => void submit()} />
      </div>
    </Modal>
  );
}
