import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { JsonField, parseObject, placeOf, toText, type JsonProblem } from '../kit/JsonField.jsx';
import { messageOf } from '../kit/States.jsx';
import { completionsAt, fieldsOf, isBareQuery, toCompletions, typedValueAt, type Completion } from './completions.js';
import { fieldValues } from './fieldValues.js';
import { JsonText } from './JsonText.js';

interface JsonQueryProps {
  readonly index: string;
  readonly collection: string;
  readonly value: string;
  /** Of the mapping. */
  readonly properties: unknown;
  /** Of the last search. */
  readonly error: unknown;
  readonly onRun: (json: string) => void;
}

/** What can be at the caret, and which of it Enter takes. */
interface Choice {
  readonly completions: readonly Completion[];
  readonly active: number;
  readonly line: number;
  readonly column: number;
}

const LIST = 'json-completions';

/**
 * The body of a search as JSON, with completion and errors at their places. A text field with a list next to the caret,
 * and a copy of the text behind it that underlines an error.
 */
export function JsonQuery({ index, collection, value, properties, error, onRun }: JsonQueryProps) {
  const [text, setText] = useState(value);
  const [problem, setProblem] = useState<JsonProblem>();
  const [choice, setChoice] = useState<Choice>();
  const area = useRef<HTMLTextAreaElement>(null);
  const back = useRef<HTMLPreElement>(null);
  /** Ends the search for values of a field. */
  const asking = useRef<AbortController>(undefined);
  const fields = useMemo(() => fieldsOf(properties), [properties]);
  useLayoutEffect(() => {
    setText(value);
    setChoice(undefined);
  }, [value]);
  useEffect(() => {
    // An error of a query that has been changed meanwhile has no place in it.
    const isShown = error !== undefined && area.current?.value === value;
    setProblem(isShown ? problemOf(messageOf(error), value) : undefined);
  }, [error]);

  const submit = () => {
    setChoice(undefined);
    const parsed = parseObject(text);
    setProblem('problem' in parsed ? (new JsonText(text).problem ?? parsed.problem) : undefined);
    if ('problem' in parsed) return;
    // The grid adds `size` and `_source` next to it.
    const body = isBareQuery(parsed.value) ? toText({ query: parsed.value }) : text;
    setText(body);
    onRun(body);
  };
  const offer = (completions: readonly Completion[], before: string) => {
    const line = before.split('\n').length;
    const column = Math.max(0, (completions[0]?.from ?? 0) - before.lastIndexOf('\n') - 1);
    setChoice(completions.length === 0 ? undefined : { completions, active: 0, line, column });
  };
  const suggest = () => {
    const field = area.current;
    if (field === null) return;
    field.focus();
    const { value: typed, selectionStart: caret } = field;
    offer(completionsAt(typed, caret, fields), typed.slice(0, caret));
    asking.current?.abort();
    const asked = typedValueAt(typed, caret, fields);
    if (asked === undefined) return;
    const { signal } = (asking.current = new AbortController());
    void fieldValues({ index, collection }, asked.field, asked.typed, signal).then((values) => {
      const isThere = field.value === typed && field.selectionStart === caret && document.activeElement === field;
      if (!signal.aborted && isThere) offer(toCompletions(values, asked), typed.slice(0, caret));
    });
  };
  const accept = ({ text: inserted, from, to, caret }: Completion) => {
    const field = area.current;
    if (field === null) return;
    field.focus();
    field.setSelectionRange(from, to);
    // Unlike `setRangeText`, it can be undone.
    document.execCommand('insertText', false, inserted);
    field.setSelectionRange(from + caret, from + caret);
    setChoice(undefined);
    if (caret < inserted.length) suggest();
  };
  const onInput = (event: InputEvent & { readonly currentTarget: HTMLTextAreaElement }) => {
    setText(event.currentTarget.value);
    setProblem(undefined);
    const isName = /^["\w.]$/.test(event.data ?? '');
    if (isName || choice !== undefined) suggest();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      return suggest();
    }
    if (choice === undefined) return;
    const { completions, active } = choice;
    const move = (by: number) =>
      setChoice({ ...choice, active: (active + by + completions.length) % completions.length });
    const chosen = completions[active];
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      Enter: () => chosen !== undefined && accept(chosen),
      Escape: () => setChoice(undefined),
    };
    const act = event.ctrlKey || event.metaKey ? undefined : keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <div class="json-query">
      <JsonField
        label="Body of the search"
        rows={Math.min(14, Math.max(6, text.split('\n').length))}
        value={text}
        problem={problem}
        onRun={submit}
        area={area}
        attributes={{
          onInput,
          onKeyDown,
          onBlur: () => setChoice(undefined),
          onClick: () => setChoice(undefined),
          onScroll: ({ currentTarget: { scrollTop, scrollLeft } }) => {
            setChoice(undefined);
            back.current?.scrollTo(scrollLeft, scrollTop);
          },
          'aria-autocomplete': 'list',
          'aria-haspopup': 'listbox',
          'aria-controls': LIST,
          'aria-activedescendant': choice === undefined ? undefined : `${LIST}-${choice.active}`,
        }}
      >
        {problem?.at !== undefined && (
          <pre class="code json-back" aria-hidden="true" ref={back}>
            {text.slice(0, problem.at)}
            <mark>{text.slice(problem.at, problem.to ?? problem.at + 1) || ' '}</mark>
            {text.slice(problem.to ?? problem.at + 1)}
          </pre>
        )}
        <Completions choice={choice} area={area.current} onAccept={accept} />
      </JsonField>
      <div class="row">
        <button type="button" class="primary" onClick={submit}>
          Run
        </button>
        <span class="soft small keys">Ctrl+Enter</span>
        {/* Touch keyboards have no Ctrl. The text field keeps the caret. */}
        <button type="button" onPointerDown={(event) => event.preventDefault()} onClick={suggest}>
          Suggest
        </button>
        <span class="soft small keys">Ctrl+Space</span>
      </div>
    </div>
  );
}

function Completions({
  choice,
  area,
  onAccept,
}: {
  readonly choice: Choice | undefined;
  readonly area: HTMLTextAreaElement | null;
  readonly onAccept: (completion: Completion) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  const active = choice?.active ?? 0;
  useLayoutEffect(() => list.current?.children[active]?.scrollIntoView({ block: 'nearest' }), [active, choice]);
  const { line = 0, column = 0 } = choice ?? {};
  const [x, y] = [area?.scrollLeft ?? 0, area?.scrollTop ?? 0];
  return (
    <ul
      id={LIST}
      ref={list}
      class="completions"
      role="listbox"
      aria-label="Suggestions"
      hidden={choice === undefined}
      style={{ '--line': line, '--column': column, '--x': `${x}px`, '--y': `${y}px` }}
      // The text field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
    >
      {choice?.completions.map((completion, position) => (
        <li
          key={completion.name}
          id={`${LIST}-${position}`}
          role="option"
          aria-selected={position === active}
          onClick={() => onAccept(completion)}
        >
          <bdi>{completion.name}</bdi>
          <span class="soft">{completion.note}</span>
        </li>
      ))}
    </ul>
  );
}

function problemOf(message: string, text: string): JsonProblem {
  const place = new JsonText(text).placeOf(message);
  return place === undefined ? placeOf(message, text) : { message, at: place.from, to: place.to };
}
