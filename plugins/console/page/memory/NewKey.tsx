import { useState } from 'preact/hooks';
import { run } from '../connection.js';
import { DialogEnd } from '../kit/DialogEnd.jsx';
import { Modal } from '../kit/Modal.jsx';
import { KINDS } from './kinds.js';

/** Creates a key with its first element. */
export function NewKey({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (name: string) => void;
}) {
  const [name, setName] = useState('');
  const [type, setType] = useState('string');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [error, setError] = useState<unknown>();
  const inputs = KINDS[type]?.inputs ?? ['Value'];
  const create = async () => {
    setError(undefined);
    try {
      if ((await run<string>('ms.type', { _id: name })) !== 'none')
        throw new Error(`The key ${name} exists: choose another name, or edit it.`);
      const given = inputs.map((input) => values[input] ?? '');
      const kind = KINDS[type];
      // `nx`: another client may create it meanwhile.
      if (kind === undefined) await run('ms.set', { _id: name, body: { value: given[0], nx: true } });
      else await kind.write(name, given, undefined);
      onCreated(name);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Modal title="New key" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <label class="field">
          <span>Key</span>
          <input required autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>Type</span>
          <select value={type} onChange={(event) => setType(event.currentTarget.value)}>
            <option value="string">String</option>
            {Object.entries(KINDS)
              .filter(([, kind]) => kind.inputs !== undefined)
              .map(([id, { title }]) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
          </select>
        </label>
        {inputs.map((input) => (
          <label class="field" key={input}>
            <span>{input}</span>
            <textarea
              class="code wrap"
              rows={input === 'Value' ? 4 : 1}
              spellcheck={false}
              value={values[input] ?? ''}
              onInput={(event) => {
                const { value } = event.currentTarget;
                setValues((last) => ({ ...last, [input]: value }));
              }}
            />
          </label>
        ))}
        <DialogEnd verb="Create" error={error} onClose={onClose} />
      </form>
    </Modal>
  );
}
