import { useEffect, useState } from 'preact/hooks';
import type { ActionNames } from '../actions/ActionCatalog.js';
import type { Fields } from '../connection.js';
import { DialogEnd } from '../kit/DialogEnd.jsx';
import { JsonField, parseObject, toText, type JsonProblem } from '../kit/JsonField.jsx';
import { Modal } from '../kit/Modal.jsx';
import {
  namesIn,
  rightIn,
  withController,
  withoutPlace,
  withRight,
  withValue,
  wordsOf,
  type RightKind,
  type RolePlace,
} from './RolePlace.js';

/** What the limit of an action begins with: on documents, or a condition. */
const ON_DOCUMENTS = { documents: { term: { owner: { $ref: 'user._id' } } } };
const CONDITION = { when: { equals: { 'request.index': 'city' } } };
/** Controllers with more entries begin closed. */
const MAX_OPEN = 12;

interface PlaceRightsProps {
  readonly title: string;
  readonly role: Fields;
  readonly place: RolePlace;
  readonly known: ActionNames | undefined;
  /** At first. */
  readonly isOpen: boolean;
  /** A new one opens it. */
  readonly opened: object | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (role: Fields) => void;
}

/** Every right of a role on one collection, by controller and action. */
export function PlaceRights({ title, role, place, known, isOpen, opened, isReadOnly, onChange }: PlaceRightsProps) {
  const [isShown, show] = useState(isOpen);
  useEffect(() => {
    if (opened !== undefined) show(true);
  }, [opened]);
  const controllers = [...namesIn(place)];
  const others = [...(known?.keys() ?? []), '*'].filter((name) => !namesIn(place).has(name));
  const isTree = place.path[0] === 'indexes';
  return (
    <details class="card place" open={isShown} onToggle={(event) => show(event.currentTarget.open)}>
      <summary>
        <h3>
          <bdi>{title}</bdi>
        </h3>
        <span class="soft small">{controllers.map(([name]) => name).join(', ') || 'nothing is allowed'}</span>
      </summary>
      <div class="stack">
        {controllers.map(([controller, named]) => (
          <Controller key={controller} {...{ controller, named, role, place, known, isReadOnly, onChange }} />
        ))}
        {!isReadOnly && (
          <div class="row spread">
            <label class="row">
              <span>Add a controller</span>
              <select value="" onChange={(event) => onChange(withController(role, place, event.currentTarget.value))}>
                <option value="" />
                {others.map((name) => (
                  <option key={name} value={name}>
                    {name === '*' ? '* (all others)' : name}
                  </option>
                ))}
              </select>
            </label>
            {isTree && (
              <button type="button" class="quiet danger-text" onClick={() => onChange(withoutPlace(role, place))}>
                Remove the collection
              </button>
            )}
          </div>
        )}
      </div>
    </details>
  );
}

interface ControllerProps extends Omit<PlaceRightsProps, 'title' | 'isOpen' | 'opened'> {
  readonly controller: string;
  /** The actions that have an entry. */
  readonly named: readonly string[];
}

function Controller({ controller, named, role, place, known, isReadOnly, onChange }: ControllerProps) {
  const actions = known?.get(controller) ?? [];
  const shown = [...new Set(['*', ...named, ...actions])].filter(
    (name) => name !== '*' || !isReadOnly || named.includes('*'),
  );
  const allowedCount = named.filter((action) => rightIn(place, controller, action).kind !== 'denied').length;
  return (
    <details class="controller" open={named.length < MAX_OPEN}>
      <summary>
        <strong>
          <bdi>{controller === '*' ? 'all other controllers' : controller}</bdi>
        </strong>{' '}
        <span class="soft small">
          {allowedCount} of {named.length} {named.length === 1 ? 'entry allows' : 'entries allow'}
        </span>
      </summary>
      <ul class="rights">
        {shown.map((action) => (
          <ActionRight key={action} {...{ controller, action, role, place, isReadOnly, onChange }} />
        ))}
      </ul>
      {!isReadOnly && (
        <button
          type="button"
          class="quiet danger-text"
          onClick={() => onChange(withValue(role, [...place.path, controller], undefined))}
        >
          Remove {controller === '*' ? 'the entry' : controller}
        </button>
      )}
    </details>
  );
}

const CHOICES: readonly (readonly [RightKind, string])[] = [
  ['allowed', 'allowed'],
  ['denied', 'denied'],
  ['limited', 'limited…'],
];

function ActionRight({
  controller,
  action,
  role,
  place,
  isReadOnly,
  onChange,
}: Omit<ControllerProps, 'named' | 'known'> & { readonly action: string }) {
  const [isEditing, setEditing] = useState(false);
  const { kind, right, isNamed } = rightIn(place, controller, action);
  const set = (next: unknown) => onChange(withRight(role, place, [controller, action], next));
  const words = kind === 'limited' ? wordsOf(right) : '';
  const title = action === '*' ? 'all other actions' : action;
  return (
    <li>
      <span class="action-name">
        <bdi>{title}</bdi>
      </span>
      {isReadOnly ? (
        <span class={`right ${kind}`}>{kind}</span>
      ) : (
        <select
          aria-label={`${controller}.${action}`}
          class={`right ${kind}`}
          value={isNamed ? kind : ''}
          onChange={(event) => {
            const { value } = event.currentTarget;
            if (value === 'limited') setEditing(true);
            else set(value === '' ? undefined : value === 'allowed');
          }}
        >
          <option value="">{action === '*' ? 'no entry' : `as others: ${kind}`}</option>
          {CHOICES.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
      {words !== '' && (
        <span class="small words">
          <bdi>{words}</bdi>{' '}
          {!isReadOnly && isNamed && (
            <button type="button" class="link" onClick={() => setEditing(true)}>
              Change…
            </button>
          )}
        </span>
      )}
      {isEditing && (
        <LimitDialog
          title={`Limit ${controller}.${action}`}
          right={kind === 'limited' && isNamed ? right : controller === 'document' ? ON_DOCUMENTS : CONDITION}
          onClose={() => setEditing(false)}
          onSet={set}
        />
      )}
    </li>
  );
}

/** A right as JSON: a condition, or documents and fields. */
function LimitDialog({
  title,
  right,
  onSet,
  onClose,
}: {
  readonly title: string;
  readonly right: unknown;
  readonly onSet: (right: Fields) => void;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState(() => toText(right));
  const [problem, setProblem] = useState<JsonProblem>();
  const submit = () => {
    const parsed = parseObject(text);
    if ('problem' in parsed) return setProblem(parsed.problem);
    onSet(parsed.value);
    onClose();
  };
  return (
    <Modal title={title} onClose={onClose}>
      <div class="stack">
        <p class="soft small">
          <code>documents</code>, <code>check</code> and <code>fields</code> limit actions on documents;{' '}
          <code>when</code> is a condition on the request.
        </p>
        <JsonField label="Right" rows={8} value={text} problem={problem} onChange={setText} onRun={submit} />
        <DialogEnd verb="Set" onClose={onClose} onRun={submit} />
      </div>
    </Modal>
  );
}
