import { Failed } from './States.jsx';

/** The end of a dialog: what went wrong, and its buttons. */
export function DialogEnd({
  verb,
  kind = 'primary',
  isDisabled = false,
  error,
  onClose,
  onRun,
}: {
  /** On the button, such as `Create`. */
  readonly verb: string;
  readonly kind?: 'primary' | 'danger';
  readonly isDisabled?: boolean;
  readonly error?: unknown;
  readonly onClose: () => void;
  /** Absent: the button sends the form around it. */
  readonly onRun?: () => void;
}) {
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      <div class="row end">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type={onRun === undefined ? 'submit' : 'button'} class={kind} disabled={isDisabled} onClick={onRun}>
          {verb}
        </button>
      </div>
    </>
  );
}
