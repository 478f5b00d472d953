/*
 * A login that begins on one node and ends on another.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oauth2Auth } from '@millrace/auth-oauth2';
import { samlAuth } from '@millrace/auth-saml';
import type { ResponseMessage } from '@millrace/kernel';
import { openNodes, type Node, type Nodes } from '../cluster/openNodes.js';
import { freePort, hasRedis } from '../memory/startRedis.js';
import { PROVIDER_CERTIFICATE } from './identityProviderKeys.js';
import { openIdentityProvider, type TestIdentityProvider } from './openIdentityProvider.js';
import { CLIENT_ID, CLIENT_SECRET, logInAtProvider, openProvider, type TestProvider } from './openProvider.js';
import { TestBrowser } from './TestBrowser.js';

/** Where a page of the application would be. */
const CALLBACK = 'http://app.localhost:1/back';

interface StepOne {
  readonly headers: { readonly Location: string };
  readonly state: string;
  readonly stateSecret: string;
}

describe.skipIf(!hasRedis())('logins over several nodes', () => {
  let cluster: Nodes;
  let provider: TestProvider;
  let identityProvider: TestIdentityProvider;
  const at = (number: number) => cluster.nodes[number] as Node;
  const login = (node: Node, strategy: string, body: object = {}): Promise<ResponseMessage> =>
    node.ask({ controller: 'auth', action: 'login', body: { strategy, ...body } });

  beforeAll(async () => {
    provider = await openProvider({ port: await freePort(), redirectURIs: [CALLBACK] });
    identityProvider = await openIdentityProvider(await freePort());
    const { entryPoint, entityId: idpIssuer } = identityProvider;
    const openId = { openid: provider.issuer, clientID: CLIENT_ID, clientSecret: CLIENT_SECRET };
    const saml = { entryPoint, idpIssuer, idpCert: PROVIDER_CERTIFICATE, createUser: true };
    cluster = await openNodes(3, {}, [
      oauth2Auth({ providers: { company: { ...openId, callbackURL: CALLBACK, createUser: true } } }),
      samlAuth({ providers: { corp: saml } }),
    ]);
    const metadata = await at(0).ask({ controller: 'saml', action: 'getMetadata', strategy: 'corp' });
    identityProvider.learn(metadata.result as string);
  });
  afterAll(async () => {
    await cluster?.close();
    await provider?.close();
    await identityProvider?.close();
  });

  /** Step one on a node, and the login at the provider. */
  async function begin(node: Node) {
    const { state, stateSecret, headers } = (await login(node, 'company')).result as unknown as StepOne;
    const stops = (url: string) => url.startsWith(CALLBACK);
    const { url } = await logInAtProvider(new TestBrowser(), headers.Location, 'ada', stops);
    return { code: new URL(url).searchParams.get('code') ?? '', state, stateSecret };
  }

  it('OAuth2: ends on any node, once', async () => {
    const ids = new Set<unknown>();
    for (const number of [0, 1, 2]) {
      const sent = await begin(at(0));
      const answers = await Promise.all([at(number), at(1), at(2), at(0)].map((node) => login(node, 'company', sent)));
      const good = answers.filter(({ status }) => status === 200);
      const ends = answers.map(({ status, error }) => `${status} ${error?.id ?? ''}`).sort();
      const refused = '401 auth.login_state_refused';
      expect(ends).toEqual(['200 ', refused, refused, refused]);
      ids.add((good[0]?.result as { _id: string })._id);
    }
    expect(ids.size).toBe(1);
  });

  it('OAuth2: needs the secret on every node', async () => {
    const { code, state } = await begin(at(0));
    for (const node of cluster.nodes) {
      const { error } = await login(node, 'company', { code, state, stateSecret: 'x'.repeat(43) });
      expect(error?.id).toBe('auth.login_state_refused');
    }
  });

  it('SAML: ends on any node, once', async () => {
    const { headers } = (await login(at(0), 'corp')).result as unknown as StepOne;
    const xml = await identityProvider.answer(await identityProvider.parse(headers.Location));
    const SAMLResponse = Buffer.from(xml).toString('base64');
    const answers = await Promise.all(cluster.nodes.map((node) => login(node, 'corp', { SAMLResponse })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    for (const node of cluster.nodes) {
      expect((await login(node, 'corp', { SAMLResponse })).status).toBe(401);
    }
  });

  it('has to begin again where its node is gone', async () => {
    const leaving = await cluster.add();
    const sent = await begin(leaving);
    await leaving.stop();
    const { error } = await login(at(1), 'company', sent);
    expect(error?.id).toBe('auth.login_state_refused');
  });
});
