import { useState } from 'preact/hooks';
import { run } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { DialogEnd } from '../kit/DialogEnd.jsx';
import { Modal } from '../kit/Modal.jsx';
import { Pager } from '../kit/Pager.jsx';
import { Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { useSession } from '../shell/Session.js';
import { readPositions, type Element, type Kind } from './kinds.js';

const PAGE_SIZE = 100;
/** Longer values are cut in the list. */
const MAX_CHARACTERS = 200;
const NUMBER = new Intl.NumberFormat();

interface ElementsProps {
  readonly name: string;
  readonly type: string;
  readonly kind: Kind;
  readonly onChanged: () => void;
}

/** The elements of a key, a page at a time. */
export function Elements({ name, type, kind, onChanged }: ElementsProps) {
  const { rights } = useSession();
  const [from, setFrom] = useState(0);
  const [isMap, setMap] = useState(false);
  const [edited, setEdited] = useState<Element | 'new'>();
  const [removed, setRemoved] = useState<Element>();
  const page = useLoad(async () => {
    const [count, elements] = await Promise.all([
      run<number>(`ms.${kind.count}`, { _id: name }),
      kind.read(name, from, PAGE_SIZE),
    ]);
    const positions =
      isMap && elements.length > 0
        ? await readPositions(
            name,
            elements.map(({ id }) => id),
          )
        : undefined;
    return { count: Number(count), elements, positions, from };
  }, [name, from, isMap]);
  const mayWrite = rights.mayAnywhere('memoryStorage.del');
  const again = () => {
    page.reload();
    onChanged();
  };
  return (
    <section class="card stack" aria-label="Elements">
      <header class="row">
        <h2>
          {page.value === undefined
            ? kind.title
            : `${NUMBER.format(page.value.count)} ${page.value.count === 1 ? 'element' : 'elements'}`}{' '}
          {type === 'stream' && <span class="soft small">the newest {PAGE_SIZE}</span>}
        </h2>
        <span class="grow" />
        {type === 'zset' && (
          <label class="row">
            <input type="checkbox" checked={isMap} onChange={() => setMap(!isMap)} />
            Scores as positions
          </label>
        )}
        {mayWrite && kind.inputs !== undefined && (
          <button type="button" onClick={() => setEdited('new')}>
            Add
          </button>
        )}
      </header>
      <Show loaded={page}>
        {({ count, elements, positions, from: at }) => (
          <>
            <div class="grid plain">
              <table>
                <thead>
                  <tr>
                    {kind.columns.map((column) => (
                      <th scope="col" key={column}>
                        {column}
                      </th>
                    ))}
                    {positions !== undefined && <th scope="col">Latitude, longitude</th>}
                    {mayWrite && (
                      <th scope="col">
                        <span class="hidden">Change</span>
                      </th>
                    )}
                  </tr>
                </thead>
                <tbody>
                  {elements.map((element, position) => (
                    <tr key={element.id}>
                      {element.cells.map((cell, column) => (
                        <td data-label={kind.columns[column]} key={column}>
                          <bdi>{cell.length > MAX_CHARACTERS ? `${cell.slice(0, MAX_CHARACTERS)}…` : cell}</bdi>
                        </td>
                      ))}
                      {positions !== undefined && (
                        <td data-label="Latitude, longitude">{positions[position] ?? '–'}</td>
                      )}
                      {mayWrite && (
                        <td class="ends">
                          {kind.inputs !== undefined && (
                            <button
                              type="button"
                              class="quiet"
                              aria-label={`Edit ${element.id}`}
                              onClick={() => setEdited(element)}
                            >
                              Edit
                            </button>
                          )}
                          <button
                            type="button"
                            class="quiet danger-text"
                            aria-label={`Remove ${element.id}`}
                            onClick={() => setRemoved(element)}
                          >
                            Remove
                          </button>
                        </td>
                      )}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            {count > PAGE_SIZE && type !== 'stream' && (
              <Pager
                frame="row"
                label="Pages of elements"
                page={at / PAGE_SIZE + 1}
                last={Math.ceil(count / PAGE_SIZE)}
                place={`${NUMBER.format(at + 1)}–${NUMBER.format(at + elements.length)} of ${NUMBER.format(count)}`}
                onPage={(page) => setFrom((page - 1) * PAGE_SIZE)}
              />
            )}
          </>
        )}
      </Show>
      {edited !== undefined && (
        <Edit
          name={name}
          kind={kind}
          element={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onSaved={() => {
            setEdited(undefined);
            again();
          }}
        />
      )}
      {removed !== undefined && (
        <Confirm
          title="Remove the element?"
          verb="Remove"
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await kind.remove(name, removed);
            again();
          }}
        >
          <p>
            <code>
              <bdi>{removed.cells.join(' ').slice(0, MAX_CHARACTERS)}</bdi>
            </code>
            {type === 'list' ? ': the first item with this value. ' : '. '}
            {page.value?.count === 1 && 'It is the last one: the key is deleted with it.'}
          </p>
        </Confirm>
      )}
    </section>
  );
}

function Edit({
  name,
  kind,
  element,
  onClose,
  onSaved,
}: {
  readonly name: string;
  readonly kind: Kind;
  /** Undefined: another one. */
  readonly element: Element | undefined;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}) {
  const inputs = kind.inputs ?? [];
  const [values, setValues] = useState(() => inputs.map((input) => element?.cells[kind.columns.indexOf(input)] ?? ''));
  const [error, setError] = useState<unknown>();
  const save = async () => {
    try {
      await kind.write(name, values, element?.id);
      onSaved();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Modal title={element === undefined ? 'Add an element' : 'Edit the element'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {inputs.map((input, position) => (
          <label class="field" key={input}>
            <span>{input}</span>
            <textarea
              class="code wrap"
              rows={input === 'Value' ? 5 : 1}
              spellcheck={false}
              readOnly={position === 0 && kind.isKeyed === true && element !== undefined}
              value={values[position]}
              onInput={(event) => {
                const { value } = event.currentTarget;
                setValues((last) => last.map((each, at) => (at === position ? value : each)));
              }}
            />
          </label>
        ))}
        <DialogEnd verb={element === undefined ? 'Add' : 'Save'} error={error} onClose={onClose} />
      </form>
    </Modal>
  );
}
