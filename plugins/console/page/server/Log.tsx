import { isError } from '@millrace/client';
import { useMemo, useRef, useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { Empty, Show } from '../kit/States.jsx';
import { usePolled } from './usePolled.js';

/** By the least severe level that is shown. */
const LEVELS = { debug: 'All levels', info: 'From info', warn: 'From warn', error: 'Errors' } as const;
type Level = keyof typeof LEVELS;

/** As `server.getLogs` answers. */
interface LogPage {
  readonly position: string;
  readonly continued: boolean;
  readonly host: string;
  readonly pid: number;
  readonly hits: readonly { time: number; level: string; message: string; fields: Fields }[];
}

/** A line of the log; without a level: a place where lines are missing. */
interface Line {
  readonly number: number;
  readonly time: number;
  readonly level: string | undefined;
  readonly message: string;
  readonly values: string;
  readonly stack: string;
  /** By which it is found, in lower case. */
  readonly searched: string;
}

/** What was read so far, the newest line first. */
interface ReadLog {
  readonly lines: readonly Line[];
  readonly count: number;
  readonly page: LogPage | undefined;
}

const POLL_MS = 2_000;
const PAGE_SIZE = 1_000;
/** Older lines are forgotten. */
const MAX_LINES = 1_000;
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** The newest lines of the log of the node that answers, read again and again. */
export function Log() {
  const [level, setLevel] = useState<Level>('debug');
  const [words, setWords] = useState('');
  const [isPaused, setPaused] = useState(false);
  const [wraps, setWraps] = useState(true);
  return (
    <div class="documents">
      <div class="grid-head">
        <select
          class="auto"
          aria-label="Level"
          value={level}
          onChange={(event) => setLevel(event.currentTarget.value as Level)}
        >
          {Object.entries(LEVELS).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label="Lines with these words"
          placeholder="Lines with these words"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <label class="row">
          <input type="checkbox" checked={wraps} onChange={() => setWraps(!wraps)} />
          Wrap
        </label>
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Continue' : 'Pause'}
        </button>
      </div>
      <Lines key={level} level={level} words={words} isPaused={isPaused} wraps={wraps} />
    </div>
  );
}

function Lines({
  level,
  words,
  isPaused,
  wraps,
}: {
  readonly level: Level;
  readonly words: string;
  readonly isPaused: boolean;
  readonly wraps: boolean;
}) {
  const read = useRef<ReadLog>({ lines: [], count: 0, page: undefined });
  const log = usePolled(
    async (signal) => {
      const { page } = read.current;
      const args = { level, size: PAGE_SIZE, ...(page !== undefined && { after: page.position }) };
      return (read.current = append(read.current, await run<LogPage>('server.getLogs', args, { signal })));
    },
    () => (isPaused ? undefined : POLL_MS),
  );
  const lines = log.value?.lines;
  const shown = useMemo(() => {
    const wanted = words.toLowerCase().split(/\s+/);
    return lines?.filter(({ searched }) => wanted.every((word) => searched.includes(word))) ?? [];
  }, [lines, words]);
  const list = useMemo(() => <List lines={shown} wraps={wraps} />, [shown, wraps]);
  if (isError(log.error, 'core.log_not_kept')) {
    return (
      <Empty title="This server keeps no log">
        <p class="soft">
          <bdi>{log.error.message}</bdi>
        </p>
      </Empty>
    );
  }
  return (
    <Show loaded={log} lines={10} frame="page">
      {({ page }) => (
        <>
          {shown.length > 0 ? (
            list
          ) : (
            <Empty title={lines?.length === 0 ? 'No lines yet' : 'No line has these words'}>
              <p class="soft">
                The server writes lines from <code>log.level</code> on; with <code>log.requests</code>, one for each
                request.
              </p>
            </Empty>
          )}
          <p class="pad soft small">
            {shown.length} lines of process {page?.pid} on <bdi>{page?.host}</bdi>
          </p>
        </>
      )}
    </Show>
  );
}

function List({ lines, wraps }: { readonly lines: readonly Line[]; readonly wraps: boolean }) {
  return (
    <ol class={`grid log ${wraps ? '' : 'long'}`} tabIndex={0} aria-label="Lines of the log, the newest first">
      {lines.map(({ number, time, level, message, values, stack }) =>
        level === undefined ? (
          <li key={number} class="warn">
            Lines are missing here: they were written faster than they were read, or another node answers.
          </li>
        ) : (
          <li key={number} class={level}>
            <time dateTime={new Date(time).toISOString()} title={new Date(time).toLocaleString()}>
              {TIME.format(time)}
            </time>{' '}
            <b>{level}</b> <bdi>{message}</bdi> <bdi class="soft">{values}</bdi>
            {stack !== '' && (
              <details>
                <summary>Stack</summary>
                <pre>
                  <bdi>{stack}</bdi>
                </pre>
              </details>
            )}
          </li>
        ),
      )}
    </ol>
  );
}

function append({ lines, count, page: last }: ReadLog, page: LogPage): ReadLog {
  const isGap = last !== undefined && !page.continued;
  if (page.hits.length === 0 && !isGap) return { lines, count, page };
  const gap = { time: 0, level: undefined, message: '', values: '', stack: '', searched: '' };
  const read = [...(isGap ? [gap] : []), ...page.hits.map(toLine)].map((line, at) => ({ ...line, number: count + at }));
  return { lines: [...read.reverse(), ...lines].slice(0, MAX_LINES), count: count + read.length, page };
}

function toLine({ time, level, message, fields }: LogPage['hits'][number]): Omit<Line, 'number'> {
  const { err, ...others } = fields;
  const { stack = '', ...error } = (typeof err === 'object' && err !== null ? err : {}) as { readonly stack?: string };
  const shown = err === undefined ? others : { ...others, err: typeof err === 'object' ? error : err };
  const values = Object.entries(shown)
    .map(([name, value]) => `${name}=${isPlain(value) ? value : JSON.stringify(value)}`)
    .join(' ');
  const texts = { message: printable(message), values: printable(values), stack };
  return { time, level, ...texts, searched: [level, ...Object.values(texts)].join(' ').toLowerCase() };
}

function isPlain(value: unknown): value is string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value);
}

/** Values come from clients: a control character could reorder or forge a line. */
function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
