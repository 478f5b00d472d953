import { isError } from '@millrace/client';
import { useState, type FormEvent } from 'react';
import { client } from './client';
import { Logo } from './Logo';

export function LoginPage() {
  const [isNew, setNew] = useState(false);
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const username = (form.get('name') as string).toLowerCase();
    const password = form.get('password') as string;
    setBusy(true);
    try {
      if (isNew) await client.actions.security.createRestrictedUser({ _id: username, body: { password } });
      // Long enough for a laptop that sleeps over the weekend.
      await client.login('local', { username, password }, { expiresIn: '7 days' });
    } catch (error) {
      setProblem(toProblem(error));
      setBusy(false);
    }
  }

  return (
    <main className="login">
      <form onSubmit={(event) => void submit(event)}>
        <Logo />
        <h1>{isNew ? 'Create an account' : 'Welcome back'}</h1>
        <label>
          Name
          <input
            name="name"
            autoComplete="username"
            autoCapitalize="none"
            autoFocus
            required
            pattern="[A-Za-z0-9]{2,20}"
            title="2 to 20 letters or digits"
          />
        </label>
        <label>
          Password
          <input
            name="password"
            type="password"
            autoComplete={isNew ? 'new-password' : 'current-password'}
            required
            minLength={8}
          />
          {isNew && <small>At least 8 characters</small>}
        </label>
        <p role="alert" className="problem">
          {problem}
        </p>
        <button className="primary" disabled={isBusy}>
          {isNew ? 'Sign up' : 'Log in'}
        </button>
        <p className="switch">
          {isNew ? 'You have an account?' : 'New here?'}{' '}
          <button
            type="button"
            className="link"
            onClick={() => {
              setNew(!isNew);
              setProblem('');
            }}
          >
            {isNew ? 'Log in' : 'Sign up'}
          </button>
        </p>
      </form>
    </main>
  );
}

function toProblem(error: unknown): string {
  if (isError(error, 'auth.wrong_credentials')) return 'The name or the password is wrong.';
  if (isError(error, 'security.user_exists')) return 'This name is taken.';
  return isError(error) ? error.message : 'The server can’t be reached.';
}
