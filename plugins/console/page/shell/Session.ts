import { isError } from '@millrace/client';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { client, restoreSession, run } from '../connection.js';
import { endRedirectLogin } from '../start/redirectLogin.js';
import { Rights, type Right } from './rights.js';

/** Who uses the console, and what the server lets them do. */
export interface Session {
  readonly userId: string;
  readonly isAnonymous: boolean;
  /** The server has an administrator: anonymous callers may do what its role `anonymous` allows. */
  readonly hasAdmin: boolean;
  readonly rights: Rights;
  /** By credentials. */
  readonly strategies: readonly string[];
  /** By a redirect to their provider. */
  readonly redirects: readonly string[];
  /** Of a login that the browser came back from. */
  readonly loginProblem: string | undefined;
  /** Reads it again, after a login or a logout. */
  readonly reload: () => void;
  /** Reads the rights again, after a change of roles. */
  readonly reloadRights: () => void;
}

/** @throws what the server answers, or NetworkError */
export async function readSession(): Promise<Omit<Session, 'reload' | 'reloadRights'>> {
  const loginProblem = await endRedirectLogin();
  await restoreSession();
  const [{ exists }, strategies, redirects, me, { hits }] = await Promise.all([
    run<{ exists: boolean }>('server.adminExists').catch(existsUnlessFailed),
    run<string[]>('auth.getStrategies', { kind: 'credentials' }).catch(() => ['local']),
    run<string[]>('auth.getStrategies', { kind: 'redirect' }).catch(() => []),
    run<{ _id: string }>('auth.getCurrentUser').catch(() => ({ _id: '-1' })),
    run<{ hits: Right[] }>('auth.getMyRights').catch(() => ({ hits: [] })),
  ]);
  return {
    userId: me._id,
    isAnonymous: me._id === '-1',
    hasAdmin: exists,
    rights: new Rights(hits),
    strategies,
    redirects,
    loginProblem,
  };
}

/** Where roles take the question away, someone has written roles. */
function existsUnlessFailed(error: unknown): { readonly exists: boolean } {
  if (isError(error) && (error.status === 401 || error.status === 403)) return { exists: true };
  throw error;
}

const CONTEXT = createContext<Session | undefined>(undefined);

/** Gives the session to the components below. */
export const SessionProvider = CONTEXT.Provider;

/** The session; only below `SessionProvider`. */
export function useSession(): Session {
  const session = useContext(CONTEXT);
  if (session === undefined) throw new Error('useSession is used outside of SessionProvider');
  return session;
}

/** Ends the session, also if the server can't be reached. */
export async function signOut(session: Session): Promise<void> {
  // The server first: its cookie would bring the session back.
  await run('auth.logout').catch(() => undefined);
  await client.session.set(null);
  session.reload();
}
