import { isError } from '@millrace/client';
import { client, keepSession, SERVER_URL } from '../connection.js';
import { messageOf } from '../kit/States.jsx';
import { navigate } from '../shell/route.js';

/** In the storage of this tab while the browser is at the provider; it says nothing without the ticket of the server. */
const NAME = 'millrace.console.login';
const RETURNED = /^#return(Ticket|Error)=(.+)$/;

interface Begun {
  readonly strategy: string;
  readonly verifier: string;
  /** The fragment that was asked for. */
  readonly hash: string;
}

const REASONS: Readonly<Record<string, string>> = {
  'auth.provider_denied': 'The provider has refused the login, or you have cancelled it.',
  'auth.provider_unavailable': 'The provider can’t be reached. Try again later.',
  'auth.wrong_credentials': 'This server has no user for you.',
};

/** Whether this page can begin such a login: browsers compute digests over TLS and on the machine itself alone. */
export function mayRedirect(): boolean {
  return (crypto as { readonly subtle?: SubtleCrypto }).subtle !== undefined;
}

/** Leaves the page for the provider of a strategy, from which the browser returns here. */
export async function beginRedirectLogin(strategy: string): Promise<void> {
  const verifier = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const begun: Begun = { strategy, verifier, hash: location.hash };
  sessionStorage.setItem(NAME, JSON.stringify(begun));
  const query = new URLSearchParams({
    returnTo: location.pathname,
    returnChallenge: toBase64Url(new Uint8Array(digest)),
  });
  location.assign(`${SERVER_URL}/_login/${encodeURIComponent(strategy)}?${query.toString()}`);
}

/** Ends the login that the browser returns from, if there is one. @returns the problem of one that failed */
export async function endRedirectLogin(): Promise<string | undefined> {
  const [, kind, value = ''] = RETURNED.exec(location.hash) ?? [];
  if (kind === undefined) return undefined;
  const kept = sessionStorage.getItem(NAME);
  sessionStorage.removeItem(NAME);
  // Before anything else: the ticket leaves the address.
  navigate([], {}, { replaces: true });
  if (kept === null) return 'This login was not begun in this tab. Sign in again.';
  const { strategy, verifier, hash } = JSON.parse(kept) as Begun;
  location.replace(hash === '' ? '#/' : hash);
  const id = decodeURIComponent(value);
  if (kind === 'Error') return REASONS[id] ?? `The login failed (${id}).`;
  try {
    await client.login(strategy, { returnTicket: value, returnVerifier: verifier });
    await keepSession();
    return undefined;
  } catch (error) {
    return isError(error, 'auth.wrong_credentials') ? 'The login took too long. Sign in again.' : messageOf(error);
  }
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
