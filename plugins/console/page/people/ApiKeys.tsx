import { isError } from '@millrace/client';
import { useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { Copy } from '../kit/Copy.jsx';
import { Facts } from '../kit/Facts.jsx';
import { Empty, Failed, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { useSession } from '../shell/Session.js';

interface ApiKey {
  readonly _id: string;
  readonly name: string;
  readonly policies: readonly { readonly roleId: string }[] | null;
  readonly createdAt: number;
  /** Null: never. */
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

/** An answer that has the secret. */
interface CreatedKey {
  readonly _id: string;
  readonly key: string;
  readonly name: string;
}

const DAY_MS = 86_400_000;
/** Days that a new key lasts; empty: as the server is configured. */
const LIVES = ['', '7', '30', '365'] as const;
const MAX_SHOWN = 100;

/** The API keys of a user. @param userId undefined: those of the user who is signed in */
export function ApiKeys({ userId }: { readonly userId?: string }) {
  const controller = userId === undefined ? 'auth' : 'security';
  const owner = userId === undefined ? {} : { _id: userId };
  const { rights } = useSession();
  const may = (action: string) => rights.mayAnywhere(`${controller}.${action}`);
  const keys = useLoad(
    (signal) =>
      run<{ hits: ApiKey[]; total: number }>(`${controller}.searchApiKeys`, { ...owner, size: MAX_SHOWN }, { signal }),
    [userId],
  );
  const [created, setCreated] = useState<CreatedKey>();
  const [password, setPassword] = useState<string>();
  const [question, setQuestion] = useState<{ readonly verb: 'Rotate' | 'Delete'; readonly key: ApiKey }>();
  /** One's own key needs the password, if the login is some minutes ago. */
  const send = async (action: string, fields: Fields, body: Fields = {}) => {
    const confirmation = password === undefined ? {} : { currentPassword: password };
    try {
      const answer = await run<CreatedKey>(`${controller}.${action}`, {
        ...owner,
        ...fields,
        body: { ...body, ...confirmation },
      });
      setPassword(undefined);
      keys.reload();
      return answer;
    } catch (error) {
      if (isError(error, 'auth.recent_login_needed', 'auth.wrong_current_password')) setPassword('');
      throw error;
    }
  };
  return (
    <section class="stack" aria-label="API keys">
      <h3>API keys</h3>
      {created !== undefined && <Secret created={created} onClose={() => setCreated(undefined)} />}
      {password !== undefined && (
        <label class="field">
          <span>
            Your password <span class="soft small">your login is some minutes ago; then repeat it</span>
          </span>
          <input
            type="password"
            autocomplete="current-password"
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </label>
      )}
      <Show loaded={keys}>
        {({ hits, total }) =>
          hits.length === 0 ? (
            <Empty title="No API keys">
              <p class="soft">A program sends an API key in place of a token. Create one for each program.</p>
            </Empty>
          ) : (
            <>
              {hits.map((key) => (
                <KeyCard
                  key={key._id}
                  apiKey={key}
                  verbs={[
                    ...(may('rotateApiKey') ? ['Rotate' as const] : []),
                    ...(may('deleteApiKey') ? ['Delete' as const] : []),
                  ]}
                  onVerb={(verb) => setQuestion({ verb, key })}
                />
              ))}
              {total > hits.length && (
                <p class="soft small">
                  The first {hits.length} of {total}.
                </p>
              )}
            </>
          )
        }
      </Show>
      {may('createApiKey') && <NewKey onCreate={async (body) => setCreated(await send('createApiKey', {}, body))} />}
      {question !== undefined && (
        <Confirm
          title={`${question.verb} the key?`}
          verb={question.verb}
          onClose={() => setQuestion(undefined)}
          onConfirm={async () => {
            const fields = { keyId: question.key._id };
            if (question.verb === 'Rotate') setCreated(await send('rotateApiKey', fields));
            else await send('deleteApiKey', fields);
          }}
        >
          <p>
            <bdi>{question.key.name}</bdi>:{' '}
            {question.verb === 'Rotate'
              ? 'it gets a new secret. The present one stays valid for a day, unless the server is configured otherwise.'
              : 'programs that use it are refused from now on.'}
          </p>
        </Confirm>
      )}
    </section>
  );
}

function KeyCard({
  apiKey,
  verbs,
  onVerb,
}: {
  readonly apiKey: ApiKey;
  readonly verbs: readonly ('Rotate' | 'Delete')[];
  readonly onVerb: (verb: 'Rotate' | 'Delete') => void;
}) {
  const { _id, name, policies, createdAt, expiresAt, lastUsedAt } = apiKey;
  const isEnded = expiresAt !== null && expiresAt <= Date.now();
  const facts = [
    ['Rights', policies === null ? 'all of its owner' : `those of ${policies.map(({ roleId }) => roleId).join(', ')}`],
    ['Created', toDay(createdAt)],
    ['Last used', lastUsedAt === null ? 'never' : new Date(lastUsedAt).toLocaleString()],
    [isEnded ? 'Expired' : 'Expires', expiresAt === null ? 'never' : toDay(expiresAt)],
  ] as const;
  return (
    <article class="card stack tight" aria-label={name}>
      <header class="row spread">
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <code class="soft small">mr_{_id}…</code>
      </header>
      <Facts facts={facts} />
      <div class="row end">
        {verbs.map((verb) => (
          <button
            type="button"
            key={verb}
            class={verb === 'Delete' ? 'quiet danger-text' : 'quiet'}
            onClick={() => onVerb(verb)}
          >
            {verb}…
          </button>
        ))}
      </div>
    </article>
  );
}

function NewKey({ onCreate }: { readonly onCreate: (body: Fields) => Promise<void> }) {
  const [name, setName] = useState('');
  const [life, setLife] = useState<string>('');
  const [roles, setRoles] = useState('');
  const [error, setError] = useState<unknown>();
  const submit = async () => {
    setError(undefined);
    const policies = roles
      .split(',')
      .map((role) => role.trim())
      .filter((role) => role !== '')
      .map((roleId) => ({ roleId }));
    try {
      await onCreate({
        name: name.trim(),
        ...(life !== '' && { expiresAt: Date.now() + Number(life) * DAY_MS }),
        ...(policies.length > 0 && { policies }),
      });
      setName('');
      setRoles('');
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <form
      class="card stack"
      aria-label="New API key"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div class="row fields">
        <label class="field">
          <span>Name of the key</span>
          <input required autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>Lasts</span>
          <select value={life} onChange={(event) => setLife(event.currentTarget.value)}>
            {LIVES.map((days) => (
              <option key={days} value={days}>
                {days === '' ? 'as configured' : `${days} days`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <label class="field">
        <span>
          Only the rights of these roles <span class="soft small">separated by commas; empty: all of its owner</span>
        </span>
        <input autocomplete="off" value={roles} onInput={(event) => setRoles(event.currentTarget.value)} />
      </label>
      {error !== undefined && <Failed error={error} />}
      <div class="row">
        <button type="submit" class="primary">
          Create the key
        </button>
      </div>
    </form>
  );
}

/** A secret, in the one moment in which it can be read. */
function Secret({ created, onClose }: { readonly created: CreatedKey; readonly onClose: () => void }) {
  return (
    <div class="notice stack" role="status" aria-label="The new key">
      <p>
        The key <bdi>{created.name}</bdi>. Copy it now: it is not shown again.
      </p>
      <pre class="code">{created.key}</pre>
      <div class="row">
        <Copy text={created.key} label="Copy the key" />
        <button type="button" class="quiet" onClick={onClose}>
          Hide it
        </button>
      </div>
    </div>
  );
}

function toDay(timeMs: number): string {
  return new Date(timeMs).toLocaleDateString();
}
