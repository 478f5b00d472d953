import { isError, type Document } from '@millrace/client';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { client, SERVER_URL, type Fields } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { Copy } from '../kit/Copy.jsx';
import { Drawer } from '../kit/Drawer.jsx';
import { JsonField, parseObject, placeOf, toText, type JsonProblem } from '../kit/JsonField.jsx';
import { Empty, Failed, Loading, messageOf } from '../kit/States.jsx';
import { Tabs } from '../kit/Tabs.jsx';
import { forgetUnsaved, useUnsaved } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import type { Column } from './columns.js';
import { Conflicts } from './Conflicts.jsx';
import { DocumentForm } from './DocumentForm.jsx';
import { History } from './History.jsx';
import { applyChanges, changesBetween, conflictsOf, toUpdate, type Change, type Conflict } from './merge.js';

interface DocumentDrawerProps {
  readonly index: string;
  readonly collection: string;
  readonly id: string;
  readonly columns: readonly Column[];
  /** Of the document in the list; newer than the one shown where another writer has changed it. */
  readonly newestVersion: number | undefined;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** One document: a form, or JSON. It is written with the version that was read, so that no change of another is lost. */
export function DocumentDrawer(props: DocumentDrawerProps) {
  const { index, collection, id, onClose } = props;
  const [document, setDocument] = useState<Document<Fields> | null>();
  const [error, setError] = useState<unknown>();
  const load = async () => {
    setError(undefined);
    try {
      setDocument(await client.collection(index, collection).get(id));
    } catch (problem) {
      setError(problem);
    }
  };
  useEffect(() => void load(), [id]);
  return (
    <Drawer title={id} note={document && <About document={document} />} onClose={onClose}>
      {error !== undefined ? (
        <Failed error={error} retry={() => void load()} />
      ) : document === undefined ? (
        <Loading />
      ) : document === null ? (
        <Empty title="There is no such document">
          <p class="soft">It may have been deleted since the list was read.</p>
        </Empty>
      ) : (
        <Editor {...props} document={document} onReload={() => void load()} onSaved={setDocument} />
      )}
    </Drawer>
  );
}

interface EditorProps extends DocumentDrawerProps {
  readonly document: Document<Fields>;
  readonly onReload: () => void;
  readonly onSaved: (document: Document<Fields>) => void;
}

type View = 'form' | 'json' | 'history';

const MERGED = 'Another user has changed other fields: both changes are kept.';

/** A change of another writer that has met changes of this one. */
interface Meeting {
  readonly theirs: Document<Fields>;
  readonly mine: readonly Change[];
  readonly conflicts: readonly Conflict[];
}

function Editor({
  index,
  collection,
  id,
  columns,
  newestVersion,
  document,
  onClose,
  onChanged,
  onReload,
  onSaved,
}: EditorProps) {
  const { rights } = useSession();
  const isReadOnly = !rights.may('document.update', index, collection);
  const [view, setView] = useState<View>('form');
  const [base, setBase] = useState(document);
  const [draft, setDraft] = useState<Fields>(document.source);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<JsonProblem>();
  const [fieldProblems, setFieldProblems] = useState<Readonly<Record<string, string>>>({});
  const [error, setError] = useState<unknown>();
  const [meeting, setMeeting] = useState<Meeting>();
  const [note, setNote] = useState('');
  const [isDeleting, setDeleting] = useState(false);
  const documents = client.collection(index, collection);
  const isChanged = changesBetween(base.source, draft).length > 0 || (view === 'json' && text !== toText(base.source));
  useUnsaved(isChanged ? id : undefined, ['doc']);
  const isOutdated = newestVersion !== undefined && newestVersion > base.version && meeting === undefined;

  // Saved, or read again: the focus stays where it is. Before the next key is handled, which may be typed already.
  useLayoutEffect(() => {
    setBase(document);
    setDraft(document.source);
    setText(toText(document.source));
    setMeeting(undefined);
    setProblem(undefined);
    setError(undefined);
  }, [document]);

  const show = (next: View) => {
    if (view === 'json') {
      const parsed = parseObject(text);
      if ('problem' in parsed) return setProblem(parsed.problem);
      setDraft(parsed.value);
      setText(toText(parsed.value));
    } else setText(toText(draft));
    setProblem(undefined);
    setView(next);
  };

  const save = async () => {
    setNote('');
    const parsed = view === 'json' ? parseObject(text) : { value: draft };
    setProblem('problem' in parsed ? parsed.problem : undefined);
    if ('problem' in parsed || Object.keys(fieldProblems).length > 0) return;
    setDraft(parsed.value);
    await write(base, parsed.value);
  };
  const write = async (from: Document<Fields>, content: Fields): Promise<void> => {
    setError(undefined);
    const changes = changesBetween(from.source, content);
    if (changes.length === 0) return setNote('Nothing has changed.');
    const update = toUpdate(changes);
    // The list is read afterwards: on Elasticsearch searches find changes later.
    const options = { ifVersion: from.version, refresh: 'wait_for' } as const;
    try {
      const saved =
        update === undefined
          ? await documents.replace(id, content, options)
          : await documents.update(id, update, options);
      setNote((last) => (last === MERGED ? last : 'Saved.'));
      onSaved(saved);
      onChanged();
    } catch (failure) {
      if (isError(failure, 'document.version_conflict')) return meet(from, changes);
      const placed = view === 'json' ? placeOf(messageOf(failure), toText(content)) : undefined;
      if (placed?.at !== undefined) setProblem(placed);
      else setError(failure);
    }
  };
  /** Another writer was faster: takes over its other changes, and asks about fields that both have changed. */
  const meet = async (from: Document<Fields>, mine: readonly Change[]): Promise<void> => {
    const theirs = await documents.get(id);
    if (theirs === null) return setError(new Error('The document has been deleted by another user.'));
    const conflicts = conflictsOf(mine, changesBetween(from.source, theirs.source));
    if (conflicts.length > 0) return setMeeting({ theirs, mine, conflicts });
    setNote(MERGED);
    return write(theirs, applyChanges(theirs.source, mine));
  };
  const settle = (chosen: readonly Change[]) => {
    if (meeting === undefined) return;
    const merged = applyChanges(meeting.theirs.source, chosen);
    setBase(meeting.theirs);
    setDraft(merged);
    setText(toText(merged));
    setMeeting(undefined);
    void write(meeting.theirs, merged);
  };

  return (
    <>
      <form
        class="stack editor"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
        onKeyDown={(event) => {
          if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void save();
        }}
      >
        <div class="row spread">
          <Tabs
            label="Form, JSON or history"
            value={view}
            options={[
              ['form', 'Form'],
              ['json', 'JSON'],
              ...(rights.may('realtime.subscribe', index, collection) ? [['history', 'History'] as const] : []),
            ]}
            onChange={show}
          />
          <Copy label="Copy as curl" text={toCurl(index, collection, id)} />
        </div>
        {isReadOnly && (
          <p class="notice" data-state="read-only">
            Your roles let you read this collection, not change it.
          </p>
        )}
        {isOutdated && (
          <p class="notice" role="status">
            Version {newestVersion} is on the server.{' '}
            {isChanged ? (
              'What you have changed is merged when you save.'
            ) : (
              <button type="button" class="link" onClick={onReload}>
                Show it
              </button>
            )}
          </p>
        )}
        {meeting !== undefined && (
          <Conflicts
            mine={meeting.mine}
            conflicts={meeting.conflicts}
            by={meeting.theirs.meta.updater}
            onSettled={settle}
            onCancel={() => setMeeting(undefined)}
          />
        )}
        {view === 'history' ? (
          <History
            index={index}
            collection={collection}
            id={id}
            current={Math.max(base.version, newestVersion ?? 0)}
            onTake={
              isReadOnly
                ? undefined
                : (source) => {
                    setDraft(source);
                    setView('form');
                  }
            }
          />
        ) : view === 'form' ? (
          <DocumentForm
            value={draft}
            columns={columns}
            isReadOnly={isReadOnly}
            onChange={setDraft}
            onProblem={(key, found) =>
              setFieldProblems(({ [key]: _, ...others }) =>
                found === undefined ? others : { ...others, [key]: found },
              )
            }
          />
        ) : (
          <JsonField
            label={`Document ${id}`}
            rows={22}
            value={text}
            problem={problem}
            isReadOnly={isReadOnly}
            onChange={setText}
            onRun={() => void save()}
          />
        )}
        {error !== undefined && <Failed error={error} />}
        {!isReadOnly && (
          <div class="row actions">
            <button type="submit" class="primary" disabled={!isChanged || meeting !== undefined}>
              Save
            </button>
            <button type="button" disabled={!isChanged} onClick={onReload}>
              Discard
            </button>
            <span class="grow soft small" role="status">
              {note}
            </span>
            {rights.may('document.delete', index, collection) && (
              <button type="button" class="quiet danger-text" onClick={() => setDeleting(true)}>
                Delete…
              </button>
            )}
          </div>
        )}
      </form>
      {isDeleting && (
        <Confirm
          title="Delete the document?"
          verb="Delete"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await documents.delete(id, { ifVersion: base.version, refresh: 'wait_for' });
            forgetUnsaved();
            onChanged();
            onClose();
          }}
        >
          <p>
            <code>{id}</code> of {index}/{collection}, version {base.version}. This can’t be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}

function About({ document: { version, meta } }: { readonly document: Document<Fields> }) {
  const { createdAt, updatedAt, author, updater } = meta;
  const at = updatedAt ?? createdAt;
  const by = updatedAt === null ? author : updater;
  return (
    <>
      version {version}
      {at !== null && (
        <>
          {' '}
          · {updatedAt === null ? 'created' : 'changed'}{' '}
          <time title={new Date(at).toISOString()}>{new Date(at).toLocaleString()}</time>
        </>
      )}
      {by !== null && (
        <>
          {' '}
          by <bdi>{by}</bdi>
        </>
      )}
    </>
  );
}

function toCurl(index: string, collection: string, id: string): string {
  const path = [index, collection, id].map((part) => encodeURIComponent(part).replace(/^_/, '%5F')).join('/');
  return `curl -H "Authorization: Bearer $TOKEN" '${SERVER_URL}/${path}'`;
}
