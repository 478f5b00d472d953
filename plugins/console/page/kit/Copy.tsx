import { useState } from 'preact/hooks';

/** A button that copies to the clipboard, and says so. */
export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await write(text);
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <span role="status">{isDone ? 'Copied' : label}</span>
    </button>
  );
}

/** Browsers have a clipboard only for pages over TLS and of the machine itself. */
async function write(text: string): Promise<void> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  if (clipboard !== undefined) return clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  // The one way that is left.
  (document as { execCommand(command: string): boolean }).execCommand('copy');
  area.remove();
}
