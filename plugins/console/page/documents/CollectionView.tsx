import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Hit } from '@millrace/client';
import { run, type Fields } from '../connection.js';
import { Menu } from '../kit/Menu.jsx';
import { Lazy } from '../kit/Lazy.jsx';
import { Pager } from '../kit/Pager.jsx';
import { Tabs } from '../kit/Tabs.jsx';
import { Empty, Failed, Loading } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { navigate, toHash, useRoute } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import { defaultColumns, isCharted, isFields, MAX_CELL_LENGTH, toColumns, type Column } from './columns.js';
import { DocumentDrawer } from './DocumentDrawer.jsx';
import { Grid } from './Grid.jsx';
import { NewDocument } from './NewDocument.jsx';
import { queryOfConditions, queryOfSearch, queryOfWords, readConditions } from './query.js';
import { QueryBar, type Depth } from './QueryBar.jsx';
import { SavedQueries } from './SavedQueries.jsx';
import { Selection } from './Selection.jsx';
import { Transfer } from './Transfer.jsx';
import { useRows, type Rows } from './useRows.js';

// Parts that are loaded when they are shown.
const loadAggregations = async () => (await import('./Aggregations.jsx')).Aggregations;
const loadChart = async () => (await import('./FieldChart.jsx')).FieldChart;
const loadSettings = async () => (await import('./CollectionSettings.jsx')).CollectionSettings;
const loadMap = async () => (await import('./DocumentMap.jsx')).DocumentMap;
const PAGE_SIZE = 50;
/** The server pages this far. */
const MAX_WINDOW = 10_000;
const NUMBER = new Intl.NumberFormat();

/** One collection: its documents in a grid, or its settings. */
export function CollectionView({
  index,
  collection,
  onListChanged,
}: {
  readonly index: string;
  readonly collection: string;
  readonly onListChanged: () => void;
}) {
  const { query } = useRoute();
  const { rights } = useSession();
  const mapping = useLoad(() => readMapping(index, collection), [index, collection]);
  const columns = useMemo(() => toColumns(mapping.value?.properties as never), [mapping.value]);
  const tab = query['tab'] === 'settings' ? 'settings' : 'documents';
  const change = (changes: Readonly<Record<string, string | undefined>>, replaces = false) =>
    navigate(['data', index, collection], { ...query, ...changes }, { replaces });
  return (
    <section class="collection" aria-label={`${index}/${collection}`}>
      <header class="collection-head">
        <a class="back" href={toHash(['data'])} aria-label="All collections">
          ‹
        </a>
        <h1>
          <bdi class="soft">{index}</bdi>
          <span class="soft"> / </span>
          <bdi>{collection}</bdi>
        </h1>
        <Tabs
          label="View"
          value={tab}
          options={[
            ['documents', 'Documents'],
            ['settings', 'Settings'],
          ]}
          onChange={(next) => change({ tab: next === 'documents' ? undefined : next, doc: undefined })}
        />
      </header>
      {tab === 'settings' ? (
        <Lazy load={loadSettings} index={index} collection={collection} mapping={mapping} onDeleted={onListChanged} />
      ) : rights.may('document.search', index, collection) ? (
        <Documents
          {...{ index, collection, columns, query, change }}
          properties={mapping.value?.['properties']}
          isMapped={!mapping.isLoading}
          onChanged={mapping.reload}
        />
      ) : (
        <Empty title="You may not search this collection">
          <p class="soft">
            It needs the right <code>document.search</code>. An administrator can add it to one of your roles.
          </p>
        </Empty>
      )}
    </section>
  );
}

async function readMapping(index: string, collection: string): Promise<Fields> {
  const found = await run<Record<string, { mappings: Record<string, Fields> }>>('collection.getMapping', {
    index,
    collection,
  });
  const mappings = found[index]?.mappings ?? {};
  return mappings[collection] ?? mappings;
}

interface DocumentsProps {
  readonly index: string;
  readonly collection: string;
  readonly columns: readonly Column[];
  /** Of the mapping. */
  readonly properties: unknown;
  /** The columns are those of the mapping; false while it is read. */
  readonly isMapped: boolean;
  readonly query: Readonly<Record<string, string>>;
  readonly change: (changes: Readonly<Record<string, string | undefined>>, replaces?: boolean) => void;
  readonly onChanged: () => void;
}

function Documents({ index, collection, columns, properties, isMapped, query, change, onChanged }: DocumentsProps) {
  const { rights } = useSession();
  const [turn, setTurn] = useState(0);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const again = () => {
    setTurn((last) => last + 1);
    onChanged();
  };
  const page = Math.max(1, Number(query['page'] ?? 1) || 1);
  const depth = toDepth(query['depth']);
  const shown = (query['columns']?.split(',') ?? defaultColumns(columns)).filter((name) => name !== '');
  const [field = '', direction = 'asc'] = query['sort']?.split(':') ?? [];
  const asked = useMemo(() => askedBy(depth, query, columns), [depth, query['q'], query['f'], query['json'], columns]);
  const matching = queryOfSearch(asked);
  const pageSize = typeof asked['size'] === 'number' ? asked['size'] : PAGE_SIZE;
  const sortBy = columns.find(({ name }) => name === field)?.sortBy;
  const sort = sortBy === undefined ? asked['sort'] : [{ [sortBy]: direction }, '_id'];
  const search: Fields = {
    ...asked,
    ...(sort !== undefined && { sort }),
    size: pageSize,
    ...(page > 1 && { from: (page - 1) * pageSize }),
    // The cells that are shown, not whole documents. Without a mapping, a query may choose them.
    ...((shown.length > 0 || asked['_source'] === undefined) && {
      _source: { includes: shown, maxLength: MAX_CELL_LENGTH },
    }),
  };
  const isLive = query['live'] !== 'off' && page === 1 && rights.may('realtime.follow', index, collection);
  const rows = useRows(index, collection, isMapped ? search : undefined, isLive, turn);
  useEffect(() => setSelected(new Set()), [query['q'], query['f'], query['json'], page]);
  const open = (id: string | undefined) => change({ doc: id });
  // Without the right to read the mapping, the fields of the first documents are the columns.
  const listed = columns.length > 0 ? columns : columnsOf(rows.hits ?? []);
  const names = columns.length > 0 ? shown : listed.map(({ name }) => name).slice(0, 7);
  const version = rows.hits?.find(({ id }) => id === query['doc'])?.version;
  const isNarrowed = matching !== undefined;
  const charted = columns.filter(isCharted);
  const mapped = columns.filter(({ type }) => type === 'geo_point').map(({ name }) => name);
  const map = isMapped && mapped.includes(query['map'] ?? '') ? query['map'] : undefined;
  return (
    <div class="documents">
      <QueryBar
        index={index}
        collection={collection}
        depth={depth}
        query={query}
        columns={columns}
        properties={properties}
        error={rows.error}
        onChange={change}
        onRun={() => setTurn((last) => last + 1)}
      />
      <div class="grid-head">
        {map === undefined && <Count rows={rows} page={page} pageSize={pageSize} isNarrowed={isNarrowed} />}
        <LiveToggle
          rows={rows}
          isOn={query['live'] !== 'off'}
          page={page}
          onToggle={() => change({ live: query['live'] === 'off' ? undefined : 'off' }, true)}
        />
        <span class="grow" />
        <ColumnChooser
          columns={columns}
          shown={shown}
          onChange={(names) => change({ columns: names.join(',') }, true)}
        />
        {charted.length > 0 && (
          <button
            type="button"
            aria-pressed={query['chart'] !== undefined}
            onClick={() =>
              change({ chart: query['chart'] === undefined ? charted[0]?.name : undefined, every: undefined })
            }
          >
            Chart
          </button>
        )}
        {mapped.length > 0 && (
          <button
            type="button"
            aria-pressed={map !== undefined}
            onClick={() => change({ map: map === undefined ? mapped[0] : undefined })}
          >
            Map
          </button>
        )}
        <SavedQueries
          index={index}
          collection={collection}
          query={query}
          onOpen={(saved) => change({ ...saved, page: undefined })}
        />
        <Transfer index={index} collection={collection} query={matching} onImported={again} />
        {rights.may('document.create', index, collection) && (
          <button type="button" class="primary" onClick={() => change({ doc: undefined, new: '1' })}>
            New
          </button>
        )}
      </div>
      {selected.size > 0 && (
        <Selection
          index={index}
          collection={collection}
          ids={[...selected]}
          query={matching}
          total={rows.hits?.every(({ id }) => selected.has(id)) === true ? rows.total : undefined}
          onSelectPage={() => setSelected(new Set(rows.hits?.map(({ id }) => id)))}
          onDone={() => {
            setSelected(new Set());
            again();
          }}
          onClear={() => setSelected(new Set())}
        />
      )}
      {query['chart'] !== undefined && isMapped && (
        <Lazy
          load={loadChart}
          index={index}
          collection={collection}
          query={matching}
          columns={columns}
          field={query['chart']}
          every={query['every'] ?? ''}
          turn={`${turn}/${rows.total}`}
          onChange={(changes: Readonly<Record<string, string | undefined>>) => change(changes, true)}
        />
      )}
      {rows.aggregations !== undefined && rows.status !== 'failed' && (
        <Lazy load={loadAggregations} results={rows.aggregations} isOpen={pageSize === 0} />
      )}
      {rows.status === 'failed' && depth !== 'json' ? (
        <Failed error={rows.error} retry={again} />
      ) : map !== undefined ? (
        <Lazy
          load={loadMap}
          {...{ index, collection, asked, depth, query, fields: mapped, change }}
          field={map}
          title={shown.find((name) => name !== map)}
          turn={`${turn}/${rows.total}`}
        />
      ) : rows.hits === undefined || !isMapped ? (
        rows.status === 'failed' ? null : (
          <Loading lines={12} />
        )
      ) : rows.hits.length === 0 && pageSize === 0 ? null : rows.hits.length === 0 ? (
        <NoDocuments
          isNarrowed={isNarrowed}
          page={page}
          onClear={() => change({ q: undefined, f: undefined, json: undefined, page: undefined })}
          onCreate={() => change({ new: '1' })}
        />
      ) : (
        <Grid
          hits={rows.hits}
          columns={names.map(
            (name) => listed.find((column) => column.name === name) ?? { name, type: 'keyword', sortBy: undefined },
          )}
          sort={{ field, direction }}
          isDimmed={rows.status === 'loading' || rows.status === 'waiting'}
          openId={query['doc']}
          selected={selected}
          onSelect={setSelected}
          onOpen={open}
          onSort={(next) => change({ sort: next, page: undefined })}
        />
      )}
      {map === undefined && (
        <Pages
          page={page}
          pageSize={pageSize}
          total={rows.total}
          onPage={(next) => change({ page: next === 1 ? undefined : String(next) })}
        />
      )}
      {query['new'] !== undefined ? (
        <NewDocument
          index={index}
          collection={collection}
          columns={columns}
          onClose={() => change({ new: undefined })}
          onCreated={(id) => {
            change({ new: undefined, doc: id });
            again();
          }}
        />
      ) : (
        query['doc'] !== undefined && (
          <DocumentDrawer
            key={query['doc']}
            index={index}
            collection={collection}
            id={query['doc']}
            columns={columns}
            newestVersion={version}
            onClose={() => open(undefined)}
            onChanged={again}
          />
        )
      )}
    </div>
  );
}

/** One column for each field of the documents. */
function columnsOf(hits: readonly Hit<Fields>[]): readonly Column[] {
  const names = new Set(hits.slice(0, 20).flatMap(({ source }) => Object.keys(source)));
  return [...names].map((name) => ({ name, type: 'keyword', sortBy: undefined }));
}

function toDepth(text: string | undefined): Depth {
  return text === 'filters' || text === 'json' ? text : 'words';
}

/** The search of the query bar. */
function askedBy(depth: Depth, query: Readonly<Record<string, string>>, columns: readonly Column[]): Fields {
  if (depth === 'json') {
    try {
      const body: unknown = JSON.parse(query['json'] ?? '{}');
      return isFields(body) ? body : {};
    } catch {
      return {};
    }
  }
  const found =
    depth === 'words' ? queryOfWords(query['q'] ?? '') : queryOfConditions(readConditions(query['f']), columns);
  return found === undefined ? {} : { query: found };
}

function Count({
  rows,
  page,
  pageSize,
  isNarrowed,
}: {
  readonly rows: Rows;
  readonly page: number;
  readonly pageSize: number;
  readonly isNarrowed: boolean;
}) {
  const { hits, total, tookMs } = rows;
  if (hits === undefined || hits.length === 0) return <span class="soft" />;
  const first = (page - 1) * pageSize + 1;
  const last = first + hits.length - 1;
  return (
    <span class="soft" data-testid="count">
      {NUMBER.format(first)}–{NUMBER.format(last)} of {NUMBER.format(total)}
      {isNarrowed ? ' that match' : ''}
      {tookMs === undefined ? '' : ` · ${tookMs} ms`}
    </span>
  );
}

function LiveToggle({
  rows,
  isOn,
  page,
  onToggle,
}: {
  readonly rows: Rows;
  readonly isOn: boolean;
  readonly page: number;
  readonly onToggle: () => void;
}) {
  const state = rows.status === 'live' ? 'live' : rows.status === 'waiting' ? 'offline' : 'paused';
  const reason = !isOn ? 'Changes are not shown' : page > 1 ? 'Only the first page is live' : rows.notLive;
  return (
    <button
      type="button"
      class={`live is-${isOn ? state : 'paused'}`}
      aria-pressed={isOn}
      title={reason ?? 'Changes are shown as they are made'}
      onClick={onToggle}
    >
      <span class="dot" aria-hidden="true" />
      {isOn
        ? state === 'paused'
          ? rows.status === 'loading'
            ? 'Live'
            : 'Not live'
          : state === 'live'
            ? 'Live'
            : 'Offline'
        : 'Paused'}
    </button>
  );
}

function ColumnChooser({
  columns,
  shown,
  onChange,
}: {
  readonly columns: readonly Column[];
  readonly shown: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}) {
  if (columns.length === 0) return null;
  const toggle = (name: string) => {
    const next = shown.includes(name) ? shown.filter((each) => each !== name) : [...shown, name];
    onChange(columns.map((column) => column.name).filter((each) => next.includes(each)));
  };
  return (
    <Menu title="Columns">
      {() =>
        columns.map(({ name, type }) => (
          <label key={name}>
            <input type="checkbox" checked={shown.includes(name)} onChange={() => toggle(name)} />
            <bdi>{name}</bdi>
            <span class="soft small">{type}</span>
          </label>
        ))
      }
    </Menu>
  );
}

function NoDocuments({
  isNarrowed,
  page,
  onClear,
  onCreate,
}: {
  readonly isNarrowed: boolean;
  readonly page: number;
  readonly onClear: () => void;
  readonly onCreate: () => void;
}) {
  if (isNarrowed || page > 1) {
    return (
      <Empty title={isNarrowed ? 'No document matches' : 'There is no such page'}>
        <button type="button" onClick={onClear}>
          {isNarrowed ? 'Clear the query' : 'Go to the first page'}
        </button>
      </Empty>
    );
  }
  return (
    <Empty title="No documents yet">
      <p class="soft">Create one, import a file, or store one by a program.</p>
      <button type="button" class="primary" onClick={onCreate}>
        New document
      </button>
    </Empty>
  );
}

function Pages({
  page,
  pageSize,
  total,
  onPage,
}: {
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}) {
  const last = Math.ceil(Math.min(total, MAX_WINDOW) / Math.max(1, pageSize));
  if (last <= 1 && page === 1) return null;
  return (
    <Pager page={page} last={last} onPage={onPage}>
      {total > MAX_WINDOW && (
        <span class="soft small">Pages end at document 10,000: narrow the query down for others.</span>
      )}
    </Pager>
  );
}
