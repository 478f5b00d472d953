import { useState } from 'preact/hooks';
import { client } from '../connection.js';
import { JsonField, parseObject, placeOf, type JsonProblem } from '../kit/JsonField.jsx';
import { messageOf } from '../kit/States.jsx';

/** Sends a message to the subscribers of a collection; nothing is stored. */
export function Publish({ index, collection }: { readonly index: string; readonly collection: string }) {
  const [target, setTarget] = useState({ index, collection });
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<JsonProblem>();
  const [note, setNote] = useState('');
  const publish = async () => {
    const parsed = parseObject(text);
    setProblem('problem' in parsed ? parsed.problem : undefined);
    setNote('');
    if ('problem' in parsed) return;
    try {
      await client.collection(target.index, target.collection).publish(parsed.value);
      setNote('Published.');
    } catch (failure) {
      setProblem(placeOf(messageOf(failure), text));
    }
  };
  return (
    <section class="card stack" aria-label="Publish a message">
      <h2>
        Publish a message <span class="soft small">to the subscribers whose filter it matches</span>
      </h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void publish();
        }}
      >
        <div class="row fields">
          {(['index', 'collection'] as const).map((name) => (
            <label class="field" key={name}>
              <span>{name === 'index' ? 'Index' : 'Collection'}</span>
              <input
                required
                value={target[name]}
                onInput={(event) => {
                  const { value } = event.currentTarget;
                  setTarget((last) => ({ ...last, [name]: value }));
                }}
              />
            </label>
          ))}
        </div>
        <JsonField
          label="Message"
          rows={3}
          value={text}
          problem={problem}
          onChange={setText}
          onRun={() => void publish()}
        />
        <div class="row">
          <button type="submit" class="primary">
            Publish
          </button>
          <span class="soft small" role="status">
            {note}
          </span>
        </div>
      </form>
    </section>
  );
}
