import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { DialogEnd } from './DialogEnd.jsx';
import { Modal } from './Modal.jsx';

/** Asks before something is deleted; with `typed`, that name has to be typed. */
export function Confirm({
  title,
  verb,
  typed,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  /** On the button, such as `Delete`. */
  readonly verb: string;
  readonly typed?: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const isReady = (typed === undefined || name === typed) && !isRunning;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    setRunning(true);
    try {
      await onConfirm();
      onClose();
    } catch (problem) {
      setError(problem);
      setRunning(false);
    }
  };
  return (
    <Modal title={title} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        {children}
        {typed !== undefined && (
          <label class="field">
            <span>
              Type <code>{typed}</code> to confirm
            </span>
            <input value={name} autocomplete="off" onInput={(event) => setName(event.currentTarget.value)} />
          </label>
        )}
        <DialogEnd verb={verb} kind="danger" isDisabled={!isReady} error={error} onClose={onClose} />
      </form>
    </Modal>
  );
}
