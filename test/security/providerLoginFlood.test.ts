/* Whoever begins thousands of logins at a provider keeps no other from ending theirs (SEC-64). */
import { afterEach, describe, expect, it } from 'vitest';
import { oauth2Auth } from '@millrace/auth-oauth2';
import { samlAuth } from '@millrace/auth-saml';
import type { JsonObject } from '@millrace/kernel';
import { MemoryProtocol, type MemoryClient } from '../realtime/MemoryProtocol.js';
import { PROVIDER_CERTIFICATE } from '../strategies/identityProviderKeys.js';
import { openIdentityProvider, type TestIdentityProvider } from '../strategies/openIdentityProvider.js';
import { freePort } from '../memory/startRedis.js';
import { startKernel, type StartedKernel } from '../startKernel.js';

/** More than were kept before. */
const FLOOD = 20_100;
/** Nothing listens there: a state that is accepted ends in 503, one that is not in 401. */
const CLOSED = 'http://127.0.0.1:1';
const CALLBACK = 'http://127.0.0.1:7511/_login';

interface StepOne {
  readonly headers: { readonly Location: string };
  readonly state?: string;
  readonly stateSecret?: string;
}

describe('a flood of logins that only begin', () => {
  let server: StartedKernel;
  let identityProvider: TestIdentityProvider;
  let protocol: MemoryProtocol;

  afterEach(async () => {
    await server.close();
    await identityProvider.close();
  });

  const open = async () => {
    identityProvider = await openIdentityProvider(await freePort());
    protocol = new MemoryProtocol();
    const { entryPoint, entityId: idpIssuer } = identityProvider;
    const oauth2 = {
      providers: {
        idp: {
          clientID: 'c', clientSecret: 's', callbackURL: `${CALLBACK}/idp`,
          authorizationURL: `${CLOSED}/a`, tokenURL: `${CLOSED}/t`, profileURL: `${CLOSED}/p`,
          identifierAttribute: 'sub', createUser: true,
        },
      },
    }; // prettier-ignore
    const saml = {
      providers: {
        corp: { entryPoint, idpIssuer, idpCert: PROVIDER_CERTIFICATE, createUser: true },
      },
    };
    server = await startKernel({
      plugins: [protocol.plugin, oauth2Auth(), samlAuth()],
      config: { oauth2, saml },
    });
    identityProvider.learn((await server.ask('GET', '/_saml/corp/metadata')).text);
  };

  const login = (client: MemoryClient, strategy: string, parameters: JsonObject = {}) =>
    client.request({ controller: 'auth', action: 'login', body: { strategy, ...parameters } });

  /** Step one. */
  const begin = async (client: MemoryClient, strategy: string) => {
    const { status, result } = await login(client, strategy);
    expect(status).toBe(302);
    return result as unknown as StepOne;
  };

  const flood = async (strategy: string) => {
    const clients = Array.from({ length: 10 }, () => protocol.connect());
    for (let n = 0; n < FLOOD; n += clients.length) {
      const answers = await Promise.all(clients.map((client) => login(client, strategy)));
      expect(answers.every(({ status }) => status === 302)).toBe(true);
    }
  };

  it('leaves an OAuth2 login that began before it', async () => {
    await open();
    const [victim, elsewhere] = [protocol.connect(), protocol.connect()];
    const { state = '', stateSecret = '' } = await begin(victim, 'idp');
    await begin(victim, 'idp');
    await flood('idp');
    const code = { code: 'x' };
    const answers = [
      await login(victim, 'idp', code),
      await login(elsewhere, 'idp', { ...code, state, stateSecret }),
      await login(elsewhere, 'idp', { ...code, state, stateSecret }),
    ];
    expect(answers.map(({ error }) => error?.id)).toEqual([
      'auth.provider_unavailable',
      'auth.provider_unavailable',
      'auth.login_state_refused',
    ]);
  });

  it('leaves a SAML login that began before it', async () => {
    await open();
    const victim = protocol.connect();
    const { headers } = await begin(victim, 'corp');
    await flood('corp');
    const xml = await identityProvider.answer(await identityProvider.parse(headers.Location));
    const SAMLResponse = Buffer.from(xml).toString('base64');
    expect((await login(victim, 'corp', { SAMLResponse })).error).toBeNull();
    expect((await login(victim, 'corp', { SAMLResponse })).error?.id).toBe('auth.assertion_refused');
  });
});
