import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

/** A button with commands below it; Escape closes them, and so can a command. */
export function Menu({
  title,
  children,
}: {
  readonly title: string;
  readonly children: (close: () => void) => ComponentChildren;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (details.current !== null) details.current.open = false;
  };
  return (
    <details
      class="menu"
      ref={details}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <summary>{title}</summary>
      <div class="menu-list">{children(close)}</div>
    </details>
  );
}
