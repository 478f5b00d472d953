import { rightIn, type RolePlace } from './RolePlace.js';

/** A column, with the actions that it stands for. */
export interface RightsGroup {
  readonly title: string;
  readonly controller: string;
  readonly actions: readonly string[];
}

const GROUPS: readonly RightsGroup[] = [
  { title: 'Read', controller: 'document', actions: ['get', 'mGet', 'search', 'count', 'scroll'] },
  { title: 'Create', controller: 'document', actions: ['create', 'mCreate'] },
  {
    title: 'Change',
    controller: 'document',
    actions: [
      ...['update', 'mUpdate', 'upsert', 'replace', 'mReplace', 'createOrReplace', 'mCreateOrReplace'],
      'updateByQuery',
    ],
  },
  { title: 'Delete', controller: 'document', actions: ['delete', 'mDelete', 'deleteByQuery'] },
  { title: 'Subscribe', controller: 'realtime', actions: ['subscribe', 'follow'] },
];

const CELLS = {
  all: ['✓', 'all'],
  limited: ['◐', 'limited'],
  some: ['◐', 'some'],
  none: ['–', 'no'],
} as const;

/** How many of the actions of a column are allowed. */
export type RightsState = keyof typeof CELLS;

interface RightsRow {
  readonly title: string;
  /** Of the title. */
  readonly href?: string;
  readonly place: RolePlace;
}

/** The rights on documents in some places, in short. */
export function RightsTable({
  label,
  head,
  rows,
  onToggle,
}: {
  readonly label: string;
  /** Of the first column. */
  readonly head: string;
  readonly rows: readonly RightsRow[];
  /** Undefined: read only. */
  readonly onToggle?: ((row: RightsRow, group: RightsGroup, state: RightsState) => void) | undefined;
}) {
  return (
    <div class="matrix">
      <table aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {GROUPS.map(({ title }) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.title}>
              <th scope="row">
                <bdi>{row.href === undefined ? row.title : <a href={row.href}>{row.title}</a>}</bdi>
              </th>
              {GROUPS.map((group) => {
                const state = stateOf(row.place, group);
                return (
                  <td key={group.title}>
                    <Cell
                      label={`${group.title} in ${row.title}`}
                      state={state}
                      onClick={onToggle === undefined ? undefined : () => onToggle(row, group, state)}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({
  label,
  state,
  onClick,
}: {
  readonly label: string;
  readonly state: RightsState;
  readonly onClick: (() => void) | undefined;
}) {
  const [sign, words] = CELLS[state];
  const content = (
    <>
      <span aria-hidden="true">{sign}</span> <span class="word">{words}</span>
    </>
  );
  if (onClick === undefined) return <span class={`right ${state}`}>{content}</span>;
  return (
    <button type="button" class={`right ${state}`} aria-label={`${label}: ${words}`} onClick={onClick}>
      {content}
    </button>
  );
}

function stateOf(place: RolePlace, { controller, actions }: RightsGroup): RightsState {
  const kinds = actions.map((action) => rightIn(place, controller, action).kind);
  if (kinds.every((kind) => kind === 'allowed')) return 'all';
  if (kinds.every((kind) => kind === 'denied')) return 'none';
  return kinds.includes('limited') ? 'limited' : 'some';
}
