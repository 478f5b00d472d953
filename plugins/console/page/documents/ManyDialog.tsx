import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { DialogEnd } from '../kit/DialogEnd.jsx';
import { Modal } from '../kit/Modal.jsx';
import { Failed } from '../kit/States.jsx';
import type { Progress } from './changeMany.js';

interface ManyDialogProps {
  readonly title: string;
  /** On the button: `Delete 5`. */
  readonly verb: string;
  /** Of the result: `deleted`. */
  readonly done: string;
  readonly kind: 'primary' | 'danger';
  /** Number of the documents. */
  readonly count: number;
  /** False: the form can't be sent as it is, and shows why. */
  readonly check?: () => boolean;
  readonly run: (onProgress: (progress: Progress) => void, signal: AbortSignal) => Promise<Progress>;
  readonly onClose: () => void;
  /** Documents have changed. */
  readonly onDone: () => void;
  readonly children: ComponentChildren;
}

/** Asks before many documents are changed, shows how far that is, can stop it, and lists what was refused. */
export function ManyDialog(props: ManyDialogProps) {
  const { title, verb, done, kind, count, check, run, onClose, onDone, children } = props;
  const [progress, setProgress] = useState<Progress>();
  const [error, setError] = useState<unknown>();
  const [state, setState] = useState<'asking' | 'running' | 'ended'>('asking');
  const abort = useRef(new AbortController());
  const submit = async (event: Event) => {
    event.preventDefault();
    if (state !== 'asking' || check?.() === false) return;
    setState('running');
    try {
      const { signal } = abort.current;
      const { left, errors } = await run(setProgress, signal);
      if (left === 0 && errors.length === 0 && !signal.aborted) return onDone();
    } catch (failure) {
      setError(failure);
    }
    setState('ended');
  };
  // The request that runs is still answered.
  const stop = () => abort.current.abort();
  const close = () => {
    stop();
    if (state === 'asking') onClose();
    else onDone();
  };
  const changed = progress?.done ?? 0;
  return (
    <Modal title={title} onClose={close}>
      <form
        class="stack"
        onSubmit={(event) => void submit(event)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        {state === 'asking' && children}
        {state === 'asking' && <DialogEnd verb={verb} kind={kind} onClose={onClose} />}
        {state !== 'asking' && (
          <p class="row" role="status">
            <progress aria-label="Progress" value={changed + (progress?.left ?? 0)} max={Math.max(1, count)} />
            {changed.toLocaleString()} of {count.toLocaleString()} {done}
            {state === 'ended' && abort.current.signal.aborted && ', then stopped'}
          </p>
        )}
        {error !== undefined && <Failed error={error} />}
        {state === 'ended' && progress !== undefined && progress.left > 0 && <Refused {...progress} words={done} />}
        {state !== 'asking' && (
          <div class="row end">
            <button type="button" onClick={state === 'running' ? stop : close}>
              {state === 'running' ? 'Stop' : 'Close'}
            </button>
          </div>
        )}
      </form>
    </Modal>
  );
}

function Refused({ left, errors, words }: Progress & { readonly words: string }) {
  return (
    <>
      <p>
        {left.toLocaleString()} were not {words}: the server refused them, or they have changed meanwhile.
      </p>
      {errors.length > 0 && (
        <ul class="preview">
          {errors.map(({ _id, reason }, position) => (
            <li key={`${position}`}>
              <code>{_id}</code> <bdi>{reason}</bdi>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
