import type { Hit } from '@millrace/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Fields } from '../connection.js';
import { isNumeric, toCell, valueAt, type Column } from './columns.js';

interface GridProps {
  readonly hits: readonly Hit<Fields>[];
  readonly columns: readonly Column[];
  readonly sort: { readonly field: string; readonly direction: string };
  /** The rows are of an earlier search. */
  readonly isDimmed: boolean;
  readonly openId: string | undefined;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onOpen: (id: string) => void;
  /** `field:asc`, or undefined for the order of the search. */
  readonly onSort: (sort: string | undefined) => void;
}

/**
 * Documents as rows. One row takes part in the order of tabs: arrow keys, Home and End move it, Enter opens the document,
 * Space selects it. Rows that have changed flash.
 */
export function Grid({ hits, columns, sort, isDimmed, openId, selected, onSelect, onOpen, onSort }: GridProps) {
  const [active, setActive] = useState(0);
  const body = useRef<HTMLTableSectionElement>(null);
  const changed = useChanged(hits);
  const lastSelected = useRef<number>(0);
  const isAll = hits.every(({ id }) => selected.has(id));
  const current = Math.min(active, hits.length - 1);
  const moveTo = (position: number) => {
    const next = Math.max(0, Math.min(hits.length - 1, position));
    setActive(next);
    body.current?.rows[next]?.focus();
  };
  const select = (position: number, isRange: boolean) => {
    const id = hits[position]?.id;
    if (id === undefined) return;
    const next = new Set(selected);
    const [from, to] = isRange ? [lastSelected.current, position].sort((a, b) => a - b) : [position, position];
    const isOn = !selected.has(id);
    for (const hit of hits.slice(from, (to ?? position) + 1)) {
      if (isOn) next.add(hit.id);
      else next.delete(hit.id);
    }
    lastSelected.current = position;
    onSelect(next);
  };
  const onKey = (event: KeyboardEvent, position: number) => {
    if (event.target !== event.currentTarget) return;
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => moveTo(position + 1),
      ArrowUp: () => moveTo(position - 1),
      Home: () => moveTo(0),
      End: () => moveTo(hits.length - 1),
      PageDown: () => moveTo(position + 10),
      PageUp: () => moveTo(position - 10),
      Enter: () => onOpen(hits[position]?.id ?? ''),
      ' ': () => select(position, event.shiftKey),
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  };
  return (
    <div class={`grid ${isDimmed ? 'dimmed' : ''}`} data-state="rows">
      <table>
        <thead>
          <tr>
            <th scope="col" class="check">
              <input
                type="checkbox"
                aria-label="Select all of this page"
                checked={isAll}
                onChange={() => onSelect(new Set(isAll ? [] : hits.map(({ id }) => id)))}
              />
            </th>
            <th scope="col" class="id">
              _id
            </th>
            {columns.map((column) => (
              <HeadCell key={column.name} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {hits.map(({ id, source }, position) => (
            <tr
              key={id}
              tabIndex={position === current ? 0 : -1}
              aria-label={`Document ${id}`}
              class={`${id === openId ? 'open' : ''} ${selected.has(id) ? 'selected' : ''} ${changed.has(id) ? 'flash' : ''}`}
              onKeyDown={(event) => onKey(event, position)}
              onFocus={() => setActive(position)}
              onClick={() => onOpen(id)}
            >
              <td class="check" onClick={(event) => event.stopPropagation()}>
                <input
                  type="checkbox"
                  tabIndex={-1}
                  aria-label={`Select ${id}`}
                  checked={selected.has(id)}
                  onClick={(event) => select(position, event.shiftKey)}
                />
              </td>
              <td class="id" data-label="_id">
                <bdi>{id.length > 40 ? `${id.slice(0, 40)}…` : id}</bdi>
              </td>
              {columns.map(({ name, type }) => (
                <Cell key={name} name={name} type={type} value={valueAt(source, name)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HeadCell({
  column,
  sort,
  onSort,
}: {
  readonly column: Column;
  readonly sort: GridProps['sort'];
  readonly onSort: GridProps['onSort'];
}) {
  const { name, type, sortBy } = column;
  const direction = sort.field === name ? sort.direction : undefined;
  const next = direction === undefined ? `${name}:asc` : direction === 'asc' ? `${name}:desc` : undefined;
  const order = direction === undefined ? undefined : direction === 'asc' ? 'ascending' : 'descending';
  return (
    <th scope="col" class={isNumeric(type) ? 'number' : ''} aria-sort={order}>
      {sortBy === undefined ? (
        <bdi title={type}>{name}</bdi>
      ) : (
        <button type="button" title={`${type}: sort`} onClick={() => onSort(next)}>
          <bdi>{name}</bdi>
          <span class="arrow" aria-hidden="true">
            {direction === undefined ? '' : direction === 'asc' ? '↑' : '↓'}
          </span>
        </button>
      )}
    </th>
  );
}

function Cell({ name, type, value }: { readonly name: string; readonly type: string; readonly value: unknown }) {
  const text = toCell(value, type);
  const kind = isNumeric(type) ? 'number' : typeof value === 'object' ? 'object' : '';
  return (
    <td class={kind} data-label={name}>
      {text === '' ? <span class="none">–</span> : <bdi>{text}</bdi>}
    </td>
  );
}

/** The ids of documents that have another version than at the last rendering. */
function useChanged(hits: readonly Hit<Fields>[]): ReadonlySet<string> {
  const versions = useRef(new Map<string, number>());
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const before = versions.current;
    const found = hits.filter(({ id, version }) => before.has(id) && before.get(id) !== version).map(({ id }) => id);
    versions.current = new Map(hits.map(({ id, version }) => [id, version]));
    if (found.length === 0) return undefined;
    setChanged(new Set(found));
    const timer = setTimeout(() => setChanged(new Set()), 900);
    return () => clearTimeout(timer);
  }, [hits]);
  return changed;
}
