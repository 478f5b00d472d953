import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { toText } from '../kit/JsonField.jsx';
import { Lazy } from '../kit/Lazy.jsx';
import { Tabs } from '../kit/Tabs.jsx';
import type { Column } from './columns.js';
import { fieldValues, type FieldValue } from './fieldValues.js';
import {
  needsValue,
  operatorsOf,
  queryOfConditions,
  queryOfWords,
  readConditions,
  toWords,
  writeConditions,
  type Condition,
  type Operator,
} from './query.js';

/** How exact a query is: words in any field, conditions on fields, or the language of searches. */
export type Depth = 'words' | 'filters' | 'json';

/** The id of the list of suggested values. */
const VALUES = 'filter-values';
const loadJsonQuery = async () => (await import('./JsonQuery.jsx')).JsonQuery;

interface QueryBarProps {
  readonly index: string;
  readonly collection: string;
  readonly depth: Depth;
  readonly query: Readonly<Record<string, string>>;
  readonly columns: readonly Column[];
  /** Of the mapping; undefined if the user may not read it. */
  readonly properties: unknown;
  /** Of the last search. */
  readonly error: unknown;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
  /** Runs the same search again. */
  readonly onRun: () => void;
}

/** The query in one of three depths; going deeper takes the query along. */
export function QueryBar(props: QueryBarProps) {
  const { index, collection, depth, query, columns, properties, error, onChange, onRun } = props;
  const go = (next: Depth) => {
    const made =
      depth === 'words' ? queryOfWords(query['q'] ?? '') : queryOfConditions(readConditions(query['f']), columns);
    const json = next === 'json' && depth !== 'json' ? toText({ query: made ?? { match_all: {} } }) : query['json'];
    onChange({ depth: next === 'words' ? undefined : next, json, page: undefined });
  };
  return (
    <div class="query-bar">
      <Tabs
        label="Kind of query"
        value={depth}
        options={[
          ['words', 'Words'],
          ['filters', 'Filters'],
          ['json', 'JSON'],
        ]}
        onChange={go}
      />
      {depth === 'words' && <Words value={query['q'] ?? ''} onChange={(q) => onChange({ q, page: undefined })} />}
      {depth === 'filters' && (
        <Filters
          index={index}
          collection={collection}
          conditions={readConditions(query['f'])}
          columns={columns}
          onChange={(conditions) => onChange({ f: writeConditions(conditions), page: undefined })}
        />
      )}
      {depth === 'json' && (
        <Lazy
          load={loadJsonQuery}
          index={index}
          collection={collection}
          value={query['json'] ?? toText({ query: { match_all: {} } })}
          properties={properties}
          error={error}
          onRun={(json: string) => (json === query['json'] ? onRun() : onChange({ json, page: undefined }))}
        />
      )}
    </div>
  );
}

function Words({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => setText(value), [value]);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const { target } = event;
      const isTyping = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  return (
    <form
      class="words"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text);
      }}
    >
      <input
        ref={input}
        type="search"
        aria-label="Words to find"
        placeholder="Words in any field   ( / )"
        value={text}
        onInput={(event) => {
          const next = event.currentTarget.value;
          setText(next);
          if (next === '') onChange('');
        }}
      />
      <button type="submit">Search</button>
    </form>
  );
}

function Filters({
  index,
  collection,
  conditions,
  columns,
  onChange,
}: {
  readonly index: string;
  readonly collection: string;
  readonly conditions: readonly Condition[];
  readonly columns: readonly Column[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}) {
  const [field, setField] = useState(columns[0]?.name ?? '');
  const column = columns.find(({ name }) => name === field) ?? columns[0];
  const operators = operatorsOf(column);
  const [chosen, setOperator] = useState<Operator>(operators[0]?.[0] ?? 'is');
  const operator = operators.some(([name]) => name === chosen) ? chosen : (operators[0]?.[0] ?? 'exists');
  const [value, setValue] = useState('');
  const [values, setValues] = useState<readonly FieldValue[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    if (column?.type !== 'keyword') setValues([]);
    else {
      void fieldValues({ index, collection }, column.name, value, abort.signal).then((found) => {
        if (!abort.signal.aborted) setValues(found);
      });
    }
    return () => abort.abort();
  }, [index, collection, column?.name, column?.type, value]);
  const add = (event: Event) => {
    event.preventDefault();
    if (column === undefined) return;
    onChange([...conditions, { field: column.name, operator, value }]);
    setValue('');
  };
  return (
    <div class="filters">
      {conditions.map((condition, position) => (
        <span class="chip" key={`${position}`}>
          <bdi>{toWords(condition)}</bdi>
          <button
            type="button"
            aria-label={`Remove ${toWords(condition)}`}
            onClick={() => onChange(conditions.filter((_, other) => other !== position))}
          >
            ✕
          </button>
        </span>
      ))}
      <form class="row condition" onSubmit={add}>
        <select aria-label="Field" value={column?.name} onChange={(event) => setField(event.currentTarget.value)}>
          {columns.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <select
          aria-label="Operator"
          value={operator}
          onChange={(event) => setOperator(event.currentTarget.value as Operator)}
        >
          {operators.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        {needsValue(operator) &&
          (column?.type === 'boolean' ? (
            <select
              aria-label="Value"
              value={value || 'true'}
              onChange={(event) => setValue(event.currentTarget.value)}
            >
              <option value="true">true</option>
              <option value="false">false</option>
            </select>
          ) : (
            <input
              aria-label="Value"
              required
              list={VALUES}
              autocomplete="off"
              placeholder={operator === 'within' ? 'top, left, bottom, right' : ''}
              value={value}
              onInput={(event) => setValue(event.currentTarget.value)}
            />
          ))}
        <datalist id={VALUES}>
          {values.map((each) => (
            <option key={each.value} value={each.value}>
              {each.count.toLocaleString()}
            </option>
          ))}
        </datalist>
        <button type="submit" disabled={column === undefined}>
          Add
        </button>
      </form>
    </div>
  );
}
