import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A panel at the right of a list, the whole screen on a phone; Escape closes it. */
export function Drawer({
  title,
  note,
  onClose,
  children,
}: {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the next key, which may be Escape.
  useLayoutEffect(() => {
    const before = document.activeElement;
    heading.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <aside
      class="drawer"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <div class="drawer-title">
          <h2 ref={heading} tabIndex={-1}>
            <bdi>{title}</bdi>
          </h2>
          {note !== undefined && <p class="soft small">{note}</p>}
        </div>
        <button type="button" class="icon" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      <div class="drawer-body">{children}</div>
    </aside>
  );
}
