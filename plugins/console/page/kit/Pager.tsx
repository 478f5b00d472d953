import type { ComponentChildren } from 'preact';

/** Buttons to the page before and the one after, and where one is. */
export function Pager({
  label = 'Pages',
  page,
  last,
  onPage,
  frame = 'pager',
  place = `Page ${page} of ${last}`,
  children,
}: {
  readonly label?: string;
  /** From 1 on. */
  readonly page: number;
  readonly last: number;
  readonly onPage: (page: number) => void;
  /** `row`: inside of a panel. */
  readonly frame?: 'pager' | 'row';
  readonly place?: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <nav class={frame} aria-label={label}>
      <button type="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        ‹ Previous
      </button>
      <span class="soft">{place}</span>
      <button type="button" disabled={page >= last} onClick={() => onPage(page + 1)}>
        Next ›
      </button>
      {children}
    </nav>
  );
}
