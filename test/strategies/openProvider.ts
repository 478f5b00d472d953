import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import type { TestBrowser } from './TestBrowser.js';
import { type Page } from './TestBrowser.js';

/** An OpenID Connect provider of npm, run for real. */
export interface TestProvider {
  readonly issuer: string;
  /** Paths of the requests that it got, in order. */
  readonly requests: string[];
  /** Stops answering (`hang`), or answers as ever. */
  hang(isHanging: boolean): void;
  close(): Promise<void>;
}

/** What clients of the provider are called. */
export const CLIENT_ID = 'millrace';

/** The secret of the confidential client; it must never be seen anywhere. */
export const CLIENT_SECRET = 'a-secret-that-nobody-may-ever-see';

const ACCOUNTS: Readonly<Record<string, object>> = {
  ada: { name: 'Ada Lovelace', email: 'ada@example.org', address: { locality: 'London' } },
  bob: { name: 'Bob', email: 'bob@example.org' },
};

/** Starts a provider on a port. Anybody may log in, under any name, with any password. */
export async function openProvider(options: {
  readonly port: number;
  readonly redirectURIs: readonly string[];
  readonly client?: object;
}): Promise<TestProvider> {
  const { port, redirectURIs, client } = options;
  const issuer = `http://127.0.0.1:${port}`;
  const configuration = {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: redirectURIs,
        ...client,
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['name', 'address'], email: ['email'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...ACCOUNTS[id] }),
    }),
    cookies: { keys: ['a key of this test'] },
  };
  const answer = new Provider(issuer, configuration).callback();
  const requests: string[] = [];
  let isHanging = false;
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (!isHanging) answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    issuer,
    requests,
    hang: (value) => (isHanging = value),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Logs in at the provider as a person does: its page, its form, its question, and back.
 * @param stops where the browser stops on its way back
 */
export async function logInAtProvider(
  browser: TestBrowser,
  location: string,
  who: string,
  stops?: (url: string) => boolean,
): Promise<Page> {
  const form = await browser.open(location, stops);
  if (!form.text.includes('name="password"')) return form;
  const consent = await browser.submit(form, { login: who, password: 'whatever' }, stops);
  return consent.text.includes('value="consent"') ? browser.submit(consent, {}, stops) : consent;
}
