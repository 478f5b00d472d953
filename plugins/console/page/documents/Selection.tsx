import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Fields } from '../connection.js';
import { useSession } from '../shell/Session.js';
import { JsonField, parseObject, type JsonProblem } from '../kit/JsonField.jsx';
import { changeMany, type Chosen, type Progress } from './changeMany.js';
import { ManyDialog } from './ManyDialog.jsx';

interface SelectionProps {
  readonly index: string;
  readonly collection: string;
  readonly ids: readonly string[];
  /** The query of the list; undefined: all documents. */
  readonly query: Fields | undefined;
  /** Number of documents that match, if the whole page is selected; else undefined. */
  readonly total: number | undefined;
  readonly onDone: () => void;
  readonly onSelectPage: () => void;
  readonly onClear: () => void;
}

/** Actions on the selected documents, or on all that match, each with a preview. */
export function Selection(props: SelectionProps) {
  const { index, collection, ids, query, total, onDone, onSelectPage, onClear } = props;
  const { rights } = useSession();
  // As it was when the dialog was opened: a live list changes meanwhile.
  const [open, setOpen] = useState<{ readonly isDeletion: boolean; readonly count: number; readonly chosen: Chosen }>();
  const [wantsAll, setWantsAll] = useState(false);
  const isAll = wantsAll && total !== undefined;
  const count = isAll ? total : ids.length;
  const may = (one: string, all: string) => rights.may(`document.${isAll ? all : one}`, index, collection);
  const ask = (isDeletion: boolean) =>
    setOpen({ isDeletion, count, chosen: { index, collection, target: isAll ? { query } : { ids } } });
  return (
    <div class="selection" role="region" aria-label="Selection">
      <strong role="status">{count.toLocaleString()} selected</strong>
      {/* On a phone, where rows are cards, there is no head with a box for all. */}
      {total === undefined && (
        <button type="button" class="quiet" onClick={onSelectPage}>
          Select the page
        </button>
      )}
      {total !== undefined && total > ids.length && (
        <button type="button" class="quiet" aria-pressed={isAll} onClick={() => setWantsAll(!wantsAll)}>
          {isAll ? 'Only this page' : `Select all ${total.toLocaleString()} that match`}
        </button>
      )}
      {may('mUpdate', 'updateByQuery') && (
        <button type="button" onClick={() => ask(false)}>
          Set fields…
        </button>
      )}
      {may('mDelete', 'deleteByQuery') && (
        <button type="button" class="danger-text" onClick={() => ask(true)}>
          Delete…
        </button>
      )}
      <button type="button" class="quiet" onClick={onClear}>
        Clear
      </button>
      {open !== undefined && (
        <Dialog
          isDeletion={open.isDeletion}
          count={open.count}
          run={(changes) => (onProgress, signal) => changeMany(open.chosen, changes, onProgress, signal)}
          onClose={() => setOpen(undefined)}
          onDone={onDone}
        >
          <Preview ids={ids} count={open.count} />
        </Dialog>
      )}
    </div>
  );
}

function Dialog({ isDeletion, ...props }: DialogProps & { readonly isDeletion: boolean }) {
  return isDeletion ? <Deletion {...props} /> : <SetFields {...props} />;
}

interface DialogProps {
  readonly count: number;
  /** @param changes null: a deletion */
  readonly run: (
    changes: Fields | null,
  ) => (onProgress: (progress: Progress) => void, signal: AbortSignal) => Promise<Progress>;
  readonly onClose: () => void;
  readonly onDone: () => void;
  /** The preview. */
  readonly children: ComponentChildren;
}

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

function Deletion({ run, children, ...props }: DialogProps) {
  const { count } = props;
  return (
    <ManyDialog
      {...props}
      title={`Delete ${count} documents?`}
      verb={`Delete ${count}`}
      done="deleted"
      kind="danger"
      run={run(null)}
    >
      {children}
      <p class="soft">This can’t be undone.</p>
    </ManyDialog>
  );
}

function SetFields({ run, children, ...props }: DialogProps) {
  const { count } = props;
  const [text, setText] = useState('{\n  \n}');
  const [problem, setProblem] = useState<JsonProblem>();
  const parsed = parseObject(text);
  const check = () => {
    setProblem('problem' in parsed ? parsed.problem : undefined);
    return !('problem' in parsed);
  };
  return (
    <ManyDialog
      {...props}
      title={`Set fields of ${count} documents`}
      verb={`Change ${count}`}
      done="changed"
      kind="primary"
      check={check}
      run={run('problem' in parsed ? {} : parsed.value)}
    >
      {children}
      <JsonField label="Fields to set" rows={6} value={text} problem={problem} onChange={setText} />
    </ManyDialog>
  );
}
