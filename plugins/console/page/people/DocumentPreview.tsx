import { useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { isFields, MAX_CELL_LENGTH, toCell } from '../documents/columns.js';
import { queryOfWords } from '../documents/query.js';
import { Pager } from '../kit/Pager.jsx';
import { Empty, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { toHash } from '../shell/route.js';

const PAGE_SIZE = 10;

/** An item of the answer of `security.explainRights`. */
interface Item {
  readonly _id: string;
  readonly allowed: boolean;
  readonly except?: readonly string[];
}

interface Previewed {
  readonly id: string;
  readonly source: Fields;
  /** Undefined: the document was deleted meanwhile. */
  readonly item: Item | undefined;
}

interface Row {
  readonly path: string;
  readonly value: unknown;
  /** The fields in the value that the user doesn't see; the path alone: all of it. */
  readonly hidden: readonly string[];
}

/** The documents of a collection as a user sees them, next to what the administrator sees. */
export function DocumentPreview({
  userId,
  action,
  index,
  collection,
}: {
  readonly userId: string;
  /** `document.get` or `document.search`. */
  readonly action: string;
  readonly index: string;
  readonly collection: string;
}) {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState({ words: '', page: 0 });
  const { words, page } = asked;
  const found = useLoad(
    async (signal) => {
      const query = queryOfWords(words) ?? { match_all: {} };
      const body = { query, from: page * PAGE_SIZE, size: PAGE_SIZE, _source: { maxLength: MAX_CELL_LENGTH } };
      const { hits, total } = await run<{
        readonly hits: readonly { readonly _id: string; readonly _source: Fields }[];
        readonly total: number;
      }>('document.search', { index, collection, body }, { signal });
      const [controller, name] = action.split('.');
      const ids = hits.map(({ _id }) => _id);
      const { items } = await run<{ readonly items: readonly Item[] }>(
        'security.explainRights',
        { _id: userId, body: { controller, action: name, index, collection, ids } },
        { signal },
      );
      const documents = hits.map(({ _id, _source }): Previewed => {
        return { id: _id, source: _source, item: items.find((item) => item._id === _id) };
      });
      return { documents, total };
    },
    [userId, action, index, collection, asked],
  );
  return (
    <section class="as-user stack" aria-label={`Documents as ${userId} sees them`}>
      <h3>
        Documents as <bdi>{userId}</bdi> sees them
      </h3>
      <form
        class="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked({ words: text, page: 0 });
        }}
      >
        <input
          type="search"
          class="grow"
          aria-label="Words in the documents"
          placeholder="Words in any field"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">Find</button>
      </form>
      <Show loaded={found} lines={5}>
        {({ documents, total }) => (
          <>
            {documents.length === 0 && <Empty title="No document matches" />}
            {documents.map((document, position) => (
              <PreviewedDocument
                key={document.id}
                {...{ ...document, userId, index, collection }}
                isOpen={position < 3}
              />
            ))}
            {total > PAGE_SIZE && (
              <Pager
                frame="row"
                label="Pages of documents"
                page={page + 1}
                last={Math.ceil(total / PAGE_SIZE)}
                place={`${page * PAGE_SIZE + 1}–${page * PAGE_SIZE + documents.length} of ${total}`}
                onPage={(next) => setAsked({ words, page: next - 1 })}
              />
            )}
          </>
        )}
      </Show>
    </section>
  );
}

function PreviewedDocument({
  userId,
  index,
  collection,
  id,
  source,
  item,
  isOpen,
}: Previewed & {
  readonly userId: string;
  readonly index: string;
  readonly collection: string;
  readonly isOpen: boolean;
}) {
  const isSeen = item?.allowed === true;
  const except = item?.except ?? [];
  const state = item === undefined ? 'deleted' : !isSeen ? 'not seen' : summaryOf(except.length);
  return (
    <details class="previewed" open={isOpen} data-state={isSeen ? 'seen' : 'hidden'}>
      <summary>
        <bdi>{id}</bdi> <span class={`chip pad-end ${isSeen && except.length === 0 ? '' : 'limited'}`}>{state}</span>
      </summary>
      <table aria-label={`Document ${id}`}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">You see</th>
            <th scope="col">
              <bdi>{userId}</bdi> sees
            </th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(source, isSeen ? except : Object.keys(source)).map(({ path, value, hidden }) => (
            <tr key={path}>
              <th scope="row">
                <bdi>{path}</bdi>
              </th>
              <td>
                <bdi>{toCell(value, 'keyword')}</bdi>
              </td>
              <td>
                {hidden.includes(path) ? (
                  <em class="hidden-value">hidden</em>
                ) : hidden.length > 0 ? (
                  <em class="hidden-value">
                    all but <bdi>{hidden.join(', ')}</bdi>
                  </em>
                ) : (
                  <bdi>{toCell(value, 'keyword')}</bdi>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <a href={toHash(['data', index, collection], { doc: id })}>Open it</a>
    </details>
  );
}

function summaryOf(hiddenCount: number): string {
  if (hiddenCount === 0) return 'all fields';
  return hiddenCount === 1 ? '1 field hidden' : `${hiddenCount} fields hidden`;
}

/** The fields of a document; objects that are hidden in part by their fields. */
function rowsOf(source: Fields, except: readonly string[], prefix = ''): readonly Row[] {
  return Object.entries(source).flatMap(([key, value]) => {
    const path = `${prefix}${key}`;
    if (except.includes(path)) return [{ path, value, hidden: [path] }];
    const hidden = except.filter((each) => each.startsWith(`${path}.`));
    return hidden.length > 0 && isFields(value) ? rowsOf(value, except, `${path}.`) : [{ path, value, hidden }];
  });
}
