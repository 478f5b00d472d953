import { useRef, useState } from 'preact/hooks';
import { readActions, type ActionEntry, type Input } from '../actions/ActionCatalog.js';
import { idOf, toFields } from '../actions/toMessage.js';
import { run } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { toText } from '../kit/JsonField.jsx';
import { messageOf, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';

interface Line {
  readonly number: number;
  readonly command: string;
  readonly answer: string;
  readonly isProblem: boolean;
}

const PREFIX = 'memoryStorage.';
const MAX_LINES = 100;
const MAX_CHARACTERS = 20_000;

/** Runs any command of the memory store: `set greeting hello ex=60`. */
export function CommandLine({ onRun }: { readonly onRun: () => void }) {
  const commands = useLoad(() => readActions().then((all) => all.filter(({ name }) => name.startsWith(PREFIX))), []);
  return <Show loaded={commands}>{(value) => <Prompt commands={value} onRun={onRun} />}</Show>;
}

function Prompt({ commands, onRun }: { readonly commands: readonly ActionEntry[]; readonly onRun: () => void }) {
  const [text, setText] = useState('');
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [isEmptying, setEmptying] = useState(false);
  const count = useRef(0);
  /** How many commands back the one in the prompt is. */
  const back = useRef(0);
  const [word = ''] = text.trim().toLowerCase().split(/\s/, 1);
  const command = commands.find(({ name }) => name === `${PREFIX}${word}`);
  const show = (answer: string, isProblem: boolean) => {
    const line = { number: ++count.current, command: text, answer: answer.slice(0, MAX_CHARACTERS), isProblem };
    setLines((last) => [line, ...last].slice(0, MAX_LINES));
  };
  const execute = async () => {
    try {
      show(toText(await run(...toCall(command, word, text))), false);
      onRun();
    } catch (error) {
      show(messageOf(error), true);
    }
    back.current = 0;
    setText('');
  };
  const recall = (step: number) => {
    back.current = Math.min(lines.length, Math.max(0, back.current + step));
    setText(back.current === 0 ? '' : (lines[back.current - 1]?.command ?? ''));
  };
  return (
    <section class="card stack" aria-label="Command line">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (word === 'flushdb') setEmptying(true);
          else if (word !== '') void execute();
        }}
      >
        <input
          class="code grow"
          aria-label="Command"
          placeholder="set greeting hello ex=60"
          autocomplete="off"
          spellcheck={false}
          list="commands"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
            if (step === undefined || (text !== '' && back.current === 0)) return;
            event.preventDefault();
            recall(step);
          }}
        />
        <datalist id="commands">
          {commands.map(({ name, summary }) => (
            <option key={name} value={name.slice(PREFIX.length)}>
              {summary}
            </option>
          ))}
        </datalist>
        <button type="submit" class="primary" disabled={word === ''}>
          Run
        </button>
      </form>
      <Help command={command} />
      {lines.length > 0 && (
        <ol class="events" tabIndex={0} aria-label="Answers, the newest first" data-state="answers">
          {lines.map(({ number, command: said, answer, isProblem }) => (
            <li key={number}>
              <strong>
                › <bdi>{said}</bdi>
              </strong>
              <pre class={isProblem ? 'problem' : ''}>{answer}</pre>
            </li>
          ))}
        </ol>
      )}
      {isEmptying && (
        <Confirm
          title="Delete all keys?"
          verb="Delete all keys"
          typed="flushdb"
          onClose={() => setEmptying(false)}
          onConfirm={execute}
        >
          <p>All keys of the memory store are deleted. This can’t be undone.</p>
        </Confirm>
      )}
    </section>
  );
}

function Help({ command }: { readonly command: ActionEntry | undefined }) {
  if (command === undefined) {
    return (
      <p class="soft small">
        The name of a command, then its arguments in their order. Options have a name: <code>ex=60</code>. Text with
        spaces is in quotes.
      </p>
    );
  }
  const shown = command.inputs.map((input) => {
    const { name } = input;
    return isList(input) ? `[${name} …]` : isOption(input) ? `[${name}=…]` : name;
  });
  return (
    <p class="small">
      <code>{[command.name.slice(PREFIX.length), ...shown].join(' ')}</code> <span class="soft">{command.summary}</span>
    </p>
  );
}

/** Takes what is left of the line. */
function isList({ description }: Input): boolean {
  return /^(?:a list|a flat list|an object)\b/.test(description);
}

/** Given by name only. */
function isOption({ description, kind, place }: Input): boolean {
  const isNeeded = place === 'path' || description.endsWith('(required)');
  return !isNeeded && (kind === 'choice' || /^(?:a flag|an integer)\b/.test(description));
}

/**
 * The action of a line. Words are the arguments in their order, `name=word` names one; further words are the list of the
 * command, such as `values`.
 * @throws Error for an unknown command, and for a line that doesn't fit it
 */
function toCall(
  command: ActionEntry | undefined,
  word: string,
  line: string,
): [string, Readonly<Record<string, unknown>>] {
  if (command === undefined) throw new Error(`There is no command ${word}: choose one of the list.`);
  // Values may be any JSON: a word is a string.
  const inputs = command.inputs.map((input): Input =>
    input.kind === 'json' && !isList(input) ? { ...input, kind: 'text' } : input,
  );
  const values: Record<string, string> = {};
  const words: string[] = [];
  for (const each of readWords(line).slice(1)) {
    const [, name, value] = /^([a-z]+)=(.*)$/s.exec(each) ?? [];
    const named = inputs.find((input) => input.name === name);
    if (named === undefined) words.push(each);
    else values[idOf(named)] = value ?? '';
  }
  const places = inputs.filter((input) => !isList(input) && !isOption(input));
  for (const input of places) {
    const next = values[idOf(input)] === undefined ? words.shift() : undefined;
    if (next !== undefined) values[idOf(input)] = next;
  }
  const list = inputs.find(isList);
  if (words.length > 0 && list === undefined)
    throw new Error(`${word} takes at most ${places.length} arguments: ${places.map(({ name }) => name).join(', ')}.`);
  if (words.length > 0 && list !== undefined) values[idOf(list)] = JSON.stringify(words);
  const made = toFields({ ...command, inputs, takesContent: false }, values);
  if ('problem' in made) throw new Error(made.problem.message);
  return [command.name, made.fields];
}

/** Words separated by spaces; quotes keep spaces. */
function readWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
      double === undefined ? (single ?? '') : double.replace(/\\(.)/g, '$1'),
    ),
  );
}
