import { useState } from 'preact/hooks';

/** A button that copies to the clipboard, and says so. */
export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text).catch(() => undefined);
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <span role="status">{isDone ? 'Copied' : label}</span>
    </button>
  );
}
