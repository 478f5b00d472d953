import { useState } from 'preact/hooks';
import { readActionNames } from '../actions/ActionCatalog.js';
import { run, type Fields } from '../connection.js';
import { useCollections } from '../documents/useCollections.js';
import { Failed, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { toHash } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import { DocumentPreview } from './DocumentPreview.jsx';
import { readHolders } from './Holders.jsx';

/** The answer of `security.explainRights`. */
interface Explained {
  readonly allowed: boolean;
  readonly reason: string;
  readonly documents?: Fields;
  readonly fields?: unknown;
  readonly decidedBy: readonly {
    readonly profile?: string;
    readonly role: string;
    readonly path: string;
    readonly reason: string;
  }[];
}

interface Tried {
  readonly userId: string;
  readonly action: string;
  readonly index: string;
  readonly collection: string;
  readonly id: string;
}

const FIRST_ACTION = 'document.get';
/** The actions whose documents can be shown as a user sees them. */
const READING = ['document.get', 'document.search'];
/** The user of requests without a token. */
const ANONYMOUS = '-1';

/** Asks the server whether a user may do something, and why. */
export function TryIt({ userId, roleId }: { readonly userId?: string; readonly roleId?: string }) {
  const names = useLoad(readActionNames, []);
  const collections = useCollections();
  const holders = useLoad(
    async () => (roleId === undefined ? [] : (await readHolders('roles', roleId)).users),
    [roleId],
  );
  const [tried, setTried] = useState<Tried>({
    userId: userId ?? '',
    action: FIRST_ACTION,
    index: '',
    collection: '',
    id: '',
  });
  const [answer, setAnswer] = useState<{ readonly tried: Tried; readonly explained: Explained }>();
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const indexes = collections.value ?? [];
  const actions = [...(names.value ?? [])].flatMap(([controller, own]) => own.map((name) => `${controller}.${name}`));
  const submit = async () => {
    setRunning(true);
    setError(undefined);
    try {
      setAnswer({ tried, explained: await explain(tried) });
    } catch (problem) {
      setAnswer(undefined);
      setError(problem);
    }
    setRunning(false);
  };
  const field = (name: keyof Tried, title: string, options: readonly string[], isRequired = false) => (
    <label class="field">
      <span>{title}</span>
      <input
        required={isRequired}
        autocomplete="off"
        list={options.length === 0 ? undefined : `try-${name}`}
        value={tried[name]}
        onInput={(event) => setTried({ ...tried, [name]: event.currentTarget.value })}
      />
      {options.length > 0 && (
        <datalist id={`try-${name}`}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </label>
  );
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <p class="soft small">The server says what it would answer, and which roles decide it. Nothing is run.</p>
      {userId === undefined && field('userId', 'User', [...(holders.value ?? []), ANONYMOUS], true)}
      {field('action', 'Action', actions, true)}
      <div class="row fields">
        {field(
          'index',
          'Index',
          indexes.map(({ name }) => name),
        )}
        {field(
          'collection',
          'Collection',
          indexes.find(({ name }) => name === tried.index)?.collections.map(({ name }) => name) ?? [],
        )}
        {field('id', 'Document', [])}
      </div>
      <div class="row">
        <button type="submit" class="primary" disabled={isRunning}>
          Try it
        </button>
      </div>
      {error !== undefined && <Failed error={error} />}
      {answer !== undefined && <Answer {...answer} />}
    </form>
  );
}

function explain({ userId, action: name, index, collection, id }: Tried): Promise<Explained> {
  const [controller = '', action = ''] = name.split('.');
  const target = { index, collection, _id: id };
  const given = Object.fromEntries(Object.entries(target).filter(([, value]) => value !== ''));
  return run('security.explainRights', { _id: userId, body: { controller, action, ...given } });
}

function Answer({ tried, explained }: { readonly tried: Tried; readonly explained: Explained }) {
  const { userId, action, index, collection, id } = tried;
  const { allowed, reason, documents, fields, decidedBy } = explained;
  const { rights } = useSession();
  const place = [index, collection, id].filter((part) => part !== '').join(' / ');
  const isCollection = index !== '' && collection !== '' && id === '';
  const mayRead = rights.may('document.search', index, collection) && rights.may('document.get', index, collection);
  return (
    <section class="card stack" aria-label="Answer" role="status" data-state={allowed ? 'allowed' : 'refused'}>
      <p class={`verdict ${allowed ? 'allowed' : 'refused'}`}>
        <span aria-hidden="true">{allowed ? '✓' : '✕'}</span>{' '}
        <bdi>{userId === ANONYMOUS ? 'A caller without a login' : userId}</bdi> {allowed ? 'may' : 'may not'} run{' '}
        <bdi>{action}</bdi>
        {place !== '' && (
          <>
            {' '}
            on <bdi>{place}</bdi>
          </>
        )}
      </p>
      <p>
        <bdi>{reason}</bdi>
      </p>
      {fields !== undefined && (
        <p>
          Fields: <bdi>{wordsOfFields(fields)}</bdi>
        </p>
      )}
      {documents !== undefined && <Covered {...{ index, collection, documents }} />}
      {decidedBy.length > 0 && (
        <ul class="decisions">
          {decidedBy.map(({ profile, role, path, reason: why }) => (
            <li key={`${profile ?? ''} ${role} ${path}`}>
              {profile !== undefined && (
                <>
                  profile{' '}
                  <a href={toHash(['people', 'profiles'], { id: profile })}>
                    <bdi>{profile}</bdi>
                  </a>
                  ,{' '}
                </>
              )}
              role{' '}
              <a href={toHash(['people', 'roles'], { id: role })}>
                <bdi>{role}</bdi>
              </a>
              : <bdi>{why}</bdi>
              <br />
              <code class="soft small">
                <bdi>{path}</bdi>
              </code>
            </li>
          ))}
        </ul>
      )}
      {isCollection && READING.includes(action) && mayRead && (
        <DocumentPreview key={`${userId} ${action} ${place}`} {...{ userId, action, index, collection }} />
      )}
    </section>
  );
}

/** The query of the documents that a right covers, how many there are, and a link to them. */
function Covered({
  index,
  collection,
  documents,
}: {
  readonly index: string;
  readonly collection: string;
  readonly documents: Fields;
}) {
  const { rights } = useSession();
  const isNamed = index !== '' && collection !== '' && rights.may('document.count', index, collection);
  const counts = useLoad(
    async (signal) => {
      if (!isNamed) return undefined;
      const count = async (query: Fields) =>
        (await run<{ count: number }>('document.count', { index, collection, body: { query } }, { signal })).count;
      return Promise.all([count(documents), count({ match_all: {} })]);
    },
    [documents],
  );
  return (
    <div class="stack tight">
      <p>Documents that match</p>
      <pre class="code">{JSON.stringify(documents, null, 2)}</pre>
      {isNamed && (
        <Show loaded={counts} lines={1}>
          {(found) => (
            <p>
              {found?.[0]} of {found?.[1]} documents.{' '}
              <a
                href={toHash(['data', index, collection], {
                  depth: 'json',
                  json: JSON.stringify({ query: documents }),
                })}
              >
                Show them
              </a>{' '}
              <span class="soft small">with your rights</span>
            </p>
          )}
        </Show>
      )}
    </div>
  );
}

/** `{only}`, `{except}`, `{both}` of a user and an API key, or a list where policies differ. */
function wordsOfFields(fields: unknown): string {
  if (Array.isArray(fields)) return fields.map(wordsOfFields).join(', or by another policy ');
  const { only, except, both } = fields as {
    readonly only?: readonly string[];
    readonly except?: readonly string[];
    readonly both?: readonly unknown[];
  };
  if (both !== undefined) return both.map(wordsOfFields).join(', and of these ');
  if (except !== undefined) return except.length === 0 ? 'all' : `all but ${except.join(', ')}`;
  return `only ${(only ?? []).join(', ')}`;
}
