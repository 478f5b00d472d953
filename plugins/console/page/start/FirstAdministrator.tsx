import { useState } from 'preact/hooks';
import { client, keepSession, run, SERVER_URL } from '../connection.js';
import { Copy } from '../kit/Copy.jsx';
import { Facts } from '../kit/Facts.jsx';
import { Failed } from '../kit/States.jsx';
import { Logo } from '../shell/Logo.jsx';
import { navigate, toHash } from '../shell/route.js';
import { useSession } from '../shell/Session.js';

interface MadeWhileOpen {
  readonly users: readonly string[];
  readonly profiles: readonly string[];
  readonly roles: readonly string[];
  readonly truncated?: boolean;
}

/**
 * The form for the first administrator, then the accounts that others made earlier.
 * @param needsToken the server is closed until then, and asks for the setup token of its log
 */
export function FirstAdministrator({ needsToken = false }: { readonly needsToken?: boolean }) {
  const { hasAdmin } = useSession();
  const [made, setMade] = useState<MadeWhileOpen>();
  if (made !== undefined) return <Created made={made} />;
  if (hasAdmin) {
    return (
      <div class="page narrow">
        <h1>Start</h1>
        <p>This server has an administrator.</p>
        <p>
          <a href={toHash(['data'])}>Go to the data</a>
        </p>
      </div>
    );
  }
  const form = <AdministratorForm needsToken={needsToken} onCreated={setMade} />;
  if (needsToken) return <div class="gate">{form}</div>;
  return (
    <div class="page narrow">
      {form}
      <TryIt />
    </div>
  );
}

function AdministratorForm({
  needsToken,
  onCreated,
}: {
  readonly needsToken: boolean;
  readonly onCreated: (made: MadeWhileOpen) => void;
}) {
  const [name, setName] = useState('admin');
  const [password, setPassword] = useState('');
  const [token, setToken] = useState('');
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    setError(undefined);
    try {
      const setup = needsToken ? { setupToken: token.trim() } : {};
      const body = { _id: name, password, ...setup };
      const { madeWhileOpen } = await run<{ madeWhileOpen?: MadeWhileOpen }>('security.createFirstAdmin', { body });
      await client.login('local', { username: name, password });
      await keepSession();
      onCreated(madeWhileOpen ?? { users: [], profiles: [], roles: [] });
    } catch (problem) {
      setError(problem);
      setRunning(false);
    }
  };
  return (
    <form class="card stack gate-card" onSubmit={(event) => void submit(event)}>
      <header class="gate-head">
        <Logo />
        <h1>Create the administrator</h1>
      </header>
      <p class="soft">
        {needsToken
          ? 'This server is closed until it has an administrator. Its log has the setup token.'
          : 'This server is open: whoever reaches it may do anything. The administrator locks it: from then on, every request needs a right.'}
      </p>
      <label class="field">
        <span>Name</span>
        <input required autocomplete="username" value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>Password</span>
        <input
          type="password"
          required
          autocomplete="new-password"
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      </label>
      {needsToken && (
        <label class="field">
          <span>Setup token</span>
          <input required autocomplete="off" value={token} onInput={(event) => setToken(event.currentTarget.value)} />
        </label>
      )}
      {error !== undefined && <Failed error={error} />}
      <button type="submit" class="primary" disabled={isRunning}>
        Create and lock
      </button>
    </form>
  );
}

/** Accounts that anyone could have made: an administrator should look at them. */
function Created({ made }: { readonly made: MadeWhileOpen }) {
  const { reload } = useSession();
  const lists = [
    ['Users', made.users],
    ['Profiles', made.profiles],
    ['Roles', made.roles],
  ] as const;
  const isEmpty = lists.every(([, ids]) => ids.length === 0);
  const leave = () => {
    navigate(['data']);
    reload();
  };
  return (
    <div class="gate">
      <section class="card gate-card stack" aria-label="The server is locked">
        <header class="gate-head">
          <Logo />
          <h1>The server is locked</h1>
        </header>
        {isEmpty ? (
          <p class="soft">Nothing was made by other callers while it was open.</p>
        ) : (
          <>
            <p>Made by anyone while the server was open. Look at each, and delete what you did not make:</p>
            <Facts facts={lists.map(([title, ids]) => [title, ids.length === 0 ? undefined : ids.join(', ')])} />
            {made.truncated === true && <p class="soft small">Only the first 1,000 of each are listed.</p>}
          </>
        )}
        <button type="button" class="primary" onClick={leave}>
          Go to the data
        </button>
      </section>
    </div>
  );
}

function TryIt() {
  const text = `curl -X PUT '${SERVER_URL}/library/books/emma?refresh=wait_for' \\
  -H 'Content-Type: application/json' -d '{"title": "Emma"}'`;
  return (
    <section class="card stack">
      <header class="row spread">
        <h2>Store a document</h2>
        <Copy text={text} />
      </header>
      <pre class="code">{text}</pre>
      <p class="soft small">
        Then find it under <a href={toHash(['data'])}>Data</a>.
      </p>
    </section>
  );
}
