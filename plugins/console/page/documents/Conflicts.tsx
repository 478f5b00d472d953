import { useState } from 'preact/hooks';
import { keyOf, type Change, type Conflict } from './merge.js';

type Choice = 'mine' | 'theirs';

/** Fields that two users have changed: one value of each has to be chosen. Everything else is merged. */
export function Conflicts({
  mine,
  conflicts,
  by,
  onSettled,
  onCancel,
}: {
  readonly mine: readonly Change[];
  readonly conflicts: readonly Conflict[];
  /** The user of the other change; null: anonymous. */
  readonly by: string | null;
  /** Called with the changes to make to the other's version. */
  readonly onSettled: (changes: readonly Change[]) => void;
  readonly onCancel: () => void;
}) {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const isSettled = conflicts.every(({ path }) => choices[keyOf(path)] !== undefined);
  const settle = () => onSettled(mine.filter(({ path }) => choices[keyOf(path)] !== 'theirs'));
  return (
    <section class="conflicts" aria-label="Conflict" data-state="conflict" role="alert">
      <p>
        <strong>
          <bdi>{by ?? 'Another user'}</bdi> has changed this document
        </strong>{' '}
        while you did. Choose for each field; your other changes are kept.
      </p>
      {conflicts.map(({ path, was, mine: own, theirs }) => {
        const key = keyOf(path);
        const choose = (choice: Choice) => setChoices((last) => ({ ...last, [key]: choice }));
        return (
          <fieldset key={key}>
            <legend>
              <bdi>{path.join('.')}</bdi> <span class="soft small">was {show(was)}</span>
            </legend>
            <div class="row choices">
              <button type="button" aria-pressed={choices[key] === 'mine'} onClick={() => choose('mine')}>
                Yours: <bdi>{show(own)}</bdi>
              </button>
              <button type="button" aria-pressed={choices[key] === 'theirs'} onClick={() => choose('theirs')}>
                Theirs: <bdi>{show(theirs)}</bdi>
              </button>
            </div>
          </fieldset>
        );
      })}
      <div class="row">
        <button type="button" class="primary" disabled={!isSettled} onClick={settle}>
          Save the choice
        </button>
        <button type="button" onClick={onCancel}>
          Continue editing
        </button>
      </div>
    </section>
  );
}

const MAX_SHOWN = 80;

function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
