import { useState } from 'preact/hooks';
import { client, keepSession } from '../connection.js';
import { parseObject } from '../kit/JsonField.jsx';
import { messageOf } from '../kit/States.jsx';
import { Logo } from '../shell/Logo.jsx';
import { useSession } from '../shell/Session.js';
import { beginRedirectLogin, mayRedirect } from './redirectLogin.js';

const TOKEN = 'token';

/** The sign-in: by name and password, by the credentials of another strategy, or with a token or an API key. */
export function SignIn() {
  const { strategies, redirects, loginProblem = '', reload } = useSession();
  const ways = [...strategies, TOKEN];
  const [way, setWay] = useState(ways[0] ?? TOKEN);
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState(loginProblem);
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    setProblem('');
    try {
      await signIn(way, name, secret);
      await keepSession();
      reload();
    } catch (error) {
      setProblem(messageOf(error));
      setRunning(false);
    }
  };
  return (
    <main class="gate">
      <form class="card gate-card stack" onSubmit={(event) => void submit(event)}>
        <header class="gate-head">
          <Logo />
          <h1>Sign in</h1>
        </header>
        {ways.length > 2 || way !== 'local' ? (
          <label class="field">
            <span>By</span>
            <select value={way} onChange={(event) => setWay(event.currentTarget.value)}>
              {strategies.map((strategy) => (
                <option key={strategy} value={strategy}>
                  {strategy === 'local' ? 'name and password' : strategy}
                </option>
              ))}
              <option value={TOKEN}>a token or an API key</option>
            </select>
          </label>
        ) : null}
        {way === 'local' && (
          <label class="field">
            <span>Name</span>
            <input
              name="username"
              autocomplete="username"
              autofocus
              required
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
        )}
        {way === 'local' || way === TOKEN ? (
          <label class="field">
            <span>{way === TOKEN ? 'Token' : 'Password'}</span>
            <input
              type="password"
              name="password"
              autocomplete={way === TOKEN ? 'off' : 'current-password'}
              required
              value={secret}
              onInput={(event) => setSecret(event.currentTarget.value)}
            />
          </label>
        ) : (
          <label class="field">
            <span>Credentials as JSON</span>
            <textarea class="code" rows={4} value={secret} onInput={(event) => setSecret(event.currentTarget.value)} />
          </label>
        )}
        {problem !== '' && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="primary" disabled={isRunning}>
          Sign in
        </button>
        {way === 'local' && (
          <button type="button" class="quiet" onClick={() => setWay(TOKEN)}>
            Use a token or an API key
          </button>
        )}
        {redirects.length > 0 && (
          <section class="stack" aria-label="Other ways to sign in">
            {redirects.map((strategy) => (
              <button
                type="button"
                key={strategy}
                disabled={!mayRedirect()}
                onClick={() => void beginRedirectLogin(strategy)}
              >
                Continue with <bdi>{strategy}</bdi>
              </button>
            ))}
            {!mayRedirect() && <p class="soft small">These need a page over TLS, or on the machine itself.</p>}
          </section>
        )}
        <p class="soft small">
          {way === TOKEN
            ? 'With an API key, the session lasts until this page is closed or reloaded.'
            : 'The session ends after 8 hours without use, and after 7 days.'}
        </p>
      </form>
    </main>
  );
}

async function signIn(way: string, name: string, secret: string): Promise<void> {
  if (way === TOKEN) {
    await client.session.set(secret.trim());
    try {
      await client.actions.auth.getCurrentUser();
    } catch (error) {
      await client.session.set(null);
      throw error;
    }
    return;
  }
  if (way === 'local') {
    await client.login('local', { username: name, password: secret });
    return;
  }
  const parsed = parseObject(secret);
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  await client.login(way, parsed.value);
}
