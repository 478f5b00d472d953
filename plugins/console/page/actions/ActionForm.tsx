import { useState } from 'preact/hooks';
import { isError } from '@millrace/client';
import { client } from '../connection.js';
import { Copy } from '../kit/Copy.jsx';
import { JsonField, placeOf, toText, type JsonProblem } from '../kit/JsonField.jsx';
import { Failed, messageOf } from '../kit/States.jsx';
import { toHash, useRoute } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import type { ActionEntry, Input } from './ActionCatalog.js';
import { SentRequests } from './SentRequests.jsx';
import { keepRequest, sentRequests } from './keepRequest.js';
import { CONTENT, idOf, toCurl, toFields, toMessage, toTypeScript } from './toMessage.js';

interface Answer {
  readonly text: string;
  readonly status: number;
  readonly tookMs: number;
}

/** Longer answers are shown cut. */
const MAX_SHOWN = 200_000;

/** The form of one action, its answer, and the call for programs. */
export function ActionForm({ action }: { readonly action: ActionEntry }) {
  const { userId } = useSession();
  const { query } = useRoute();
  const [values, setValues] = useState<Readonly<Record<string, string>>>(
    () => sentRequests(userId).find(({ id }) => String(id) === query['again'])?.values ?? {},
  );
  const [problem, setProblem] = useState<{ readonly input: string; readonly problem: JsonProblem }>();
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const made = toFields(action, values);
  const set = (name: string, text: string) => setValues((last) => ({ ...last, [name]: text }));
  const submit = async () => {
    setProblem('problem' in made ? made : undefined);
    setError(undefined);
    if ('problem' in made) return;
    setRunning(true);
    const startedMs = performance.now();
    const [controller, name] = action.name.split('.');
    const keep = (status: number | undefined) => {
      const tookMs = performance.now() - startedMs;
      keepRequest(userId, { action: action.name, values, atMs: Date.now(), tookMs, status });
    };
    try {
      const response: { readonly status: number; readonly result: unknown } = await client.request(
        { ...made.fields, controller, action: name } as never,
        { timeoutMs: 60_000 },
      );
      const text = toText(response.result);
      keep(response.status);
      setAnswer({ text, status: response.status, tookMs: performance.now() - startedMs });
    } catch (failure) {
      keep(isError(failure) ? failure.status : undefined);
      setAnswer(undefined);
      const placed = placeOf(messageOf(failure), values[CONTENT] ?? '');
      if (placed.at !== undefined) setProblem({ input: CONTENT, problem: placed });
      setError(failure);
    } finally {
      setRunning(false);
    }
  };
  const problemOf = (input: string) => (problem?.input === input ? problem.problem : undefined);
  return (
    <section class="page action" aria-label={action.name}>
      <header class="stack tight">
        <a class="back" href={toHash(['actions'])} aria-label="All actions">
          ‹
        </a>
        <h1>
          <bdi>{action.name}</bdi>
        </h1>
        <p>{withoutMarks(action.summary)}</p>
        {action.path !== undefined && (
          <p class="soft small">
            <code>
              {action.method} {action.path}
            </code>
          </p>
        )}
      </header>
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {action.inputs.length === 0 && !action.takesContent && <p class="soft">It takes no arguments.</p>}
        <div class="inputs">
          {action.inputs.map((input) => (
            <InputField
              key={idOf(input)}
              input={input}
              value={values[idOf(input)] ?? ''}
              problem={problemOf(idOf(input))}
              onChange={(text) => set(idOf(input), text)}
            />
          ))}
        </div>
        {action.takesContent && (
          <div class="field">
            <span>
              {action.inputs.some(({ place }) => place === 'body') ? 'Further content of the body' : 'Body'}{' '}
              <span class="soft small">JSON</span>
            </span>
            <JsonField
              label="Body"
              rows={action.inputs.length > 0 ? 4 : 10}
              value={values[CONTENT] ?? ''}
              problem={problemOf(CONTENT)}
              onChange={(text) => set(CONTENT, text)}
              onRun={() => void submit()}
            />
          </div>
        )}
        <div class="row">
          <button type="submit" class="primary" disabled={isRunning}>
            Run
          </button>
          {'fields' in made && (
            <>
              <span class="soft small">Copy as</span>
              <Copy label="curl" text={toCurl(action, made.fields)} />
              <Copy label="TypeScript" text={toTypeScript(action, made.fields)} />
              <Copy label="message" text={toMessage(action, made.fields)} />
            </>
          )}
        </div>
      </form>
      {error !== undefined && <Failed error={error} />}
      {answer !== undefined && (
        <section class="card stack" aria-label="Answer" data-state="answer">
          <header class="row spread">
            <h2>
              Answer{' '}
              <span class="soft small">
                status {answer.status} · {Math.round(answer.tookMs)} ms
              </span>
            </h2>
            <Copy text={answer.text} />
          </header>
          <pre class="code answer" tabIndex={0} aria-label="Answer as JSON">
            {answer.text.length > MAX_SHOWN ? `${answer.text.slice(0, MAX_SHOWN)}…` : answer.text}
          </pre>
        </section>
      )}
      <SentRequests action={action.name} />
    </section>
  );
}

function InputField({
  input,
  value,
  problem,
  onChange,
}: {
  readonly input: Input;
  readonly value: string;
  readonly problem: JsonProblem | undefined;
  readonly onChange: (text: string) => void;
}) {
  const { name, kind, isRequired, description, choices, place } = input;
  const options = kind === 'boolean' ? ['true', 'false'] : choices;
  return (
    <label class="field">
      <span>
        <bdi>{name}</bdi>
        {isRequired && <abbr title="required"> *</abbr>}{' '}
        <span class="soft small">
          {place === 'body' ? (kind === 'json' ? 'body, JSON' : 'body') : kind === 'json' ? 'JSON' : ''}
        </span>
      </span>
      {options.length > 0 ? (
        <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="" />
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : kind === 'json' ? (
        <textarea
          class="code"
          rows={2}
          spellcheck={false}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <input
          // Dots by the style: the type of an input decides which attributes it takes.
          class={/password|secret/i.test(name) ? 'secret' : ''}
          autocomplete="off"
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
      {description !== '' && description !== 'A string.' && (
        <span class="soft small hint">{withoutMarks(description)}</span>
      )}
      {problem !== undefined && (
        <span class="problem" role="alert">
          {problem.message}
        </span>
      )}
    </label>
  );
}

/** Descriptions mark names as Markdown does. */
function withoutMarks(text: string): string {
  return text.replaceAll('`', '');
}
