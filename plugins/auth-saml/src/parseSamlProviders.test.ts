import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { loadConfig, SealedTickets, systemClock, type ActionDefinition } from '@millrace/kernel';
import { samlConfig } from './config.js';
import { parseSamlProviders } from './parseSamlProviders.js';
import { samlAuth } from './samlAuth.js';

const SECRET = 'hush-hush';
/** A certificate available in every Node; its subject doesn't matter here. */
const TEST_CERTIFICATE = new X509Certificate(rootCertificates[0] ?? '').toString().trim();
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const options = {
  entryPoint: 'https://idp.example/sso',
  idpIssuer: 'https://idp.example',
  idpCert: TEST_CERTIFICATE,
};

describe('saml.providers', () => {
  it('completes a provider: callback with the versioned path, entity id at the metadata', () => {
    const [provider] = parseSamlProviders({ corp: options }, 'https://app.example/');
    expect(provider).toMatchObject({
      strategy: 'corp',
      callbackURL: 'https://app.example/api/1.0/_login/corp',
      issuer: 'https://app.example/_saml/corp/metadata',
      audience: 'https://app.example/_saml/corp/metadata',
      wantResponseSigned: true,
      createUser: false,
      defaultProfileIds: ['default'],
      identifierAttribute: 'nameID',
    });
  });

  it('takes a certificate as PEM, as its base64 text, and several of them', () => {
    const bare = TEST_CERTIFICATE.replace(/-----[^-]+-----/g, '');
    for (const idpCert of [TEST_CERTIFICATE, bare, bare.replace(/\s/g, ''), [bare]]) {
      const [provider] = parseSamlProviders({ corp: { ...options, idpCert } }, 'http://x');
      expect(provider?.idpCert).toEqual([TEST_CERTIFICATE]);
    }
  });

  it.each<[string, object, RegExp]>([
    ['no entry point', { entryPoint: '' }, /corp\.entryPoint is missing/],
    ['no issuer of the provider', { idpIssuer: null }, /corp\.idpIssuer is missing/],
    ['no certificate', { idpCert: undefined }, /corp\.idpCert is missing/],
    ['an empty list of certificates', { idpCert: [] }, /corp\.idpCert/],
    ['what is no certificate', { idpCert: SECRET }, /corp\.idpCert: expected an X\.509 certificate/],
    ['what is no key', { privateKey: SECRET }, /corp\.privateKey: expected a private key/],
    ['plain http', { entryPoint: 'http://idp.example/sso' }, /corp\.entryPoint: .*https/],
    ['a script for an address', { entryPoint: 'javascript:alert(1)' }, /corp\.entryPoint/],
    ['users known by e-mail', { identifierAttribute: 'mail' }, /corp\.identifierAttribute/],
    [
      'users known by e-mail in other words',
      { identifierAttribute: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress' },
      /corp\.identifierAttribute/,
    ],
    ['attributes that become profiles', { attributeMap: { profileIds: 'groups' } }, /corp\.attributeMap.*profileIds/],
    ['an unknown key', { wantAssertionsSigned: false }, /unknown key "wantAssertionsSigned"/],
    ['createUser as text', { createUser: 'yes' }, /corp\.createUser: expected true or false/],
  ])('refuses %s, and repeats no value', (_, change, message) => {
    const providers = { corp: { ...options, ...change } };
    const refuse = () => parseSamlProviders(providers, 'http://x');
    expect(refuse).toThrow(message);
    expect(refuse).not.toThrow(SECRET);
    const load = () => loadConfig({ saml: samlConfig }, { file: { name: 'f', values: { saml: { providers } } } });
    expect(load).toThrow(/^Invalid configuration saml\.providers: [^\n]+$/);
    expect(load).not.toThrow(SECRET);
  });
});

describe('samlAuth', () => {
  const setUp = async (providers: object) => {
    const plugin = samlAuth({ providers: providers as never });
    const { values, redacted } = loadConfig({ ...plugin.config } as never, {});
    const strategies: string[] = [];
    const actions: ActionDefinition[] = [];
    await plugin.setup({
      config: values,
      tickets: () => new SealedTickets(systemClock),
      strategy: ({ name }: { name: string }) => strategies.push(name),
      controller: (added: readonly ActionDefinition[]) => actions.push(...added),
    } as never);
    return { strategies, actions, redacted };
  };

  it('registers its metadata, and no strategy without a provider', async () => {
    const { strategies, actions } = await setUp({});
    expect(strategies).toEqual([]);
    expect(actions.map(({ controller, action }) => `${controller}.${action}`)).toEqual(['saml.getMetadata']);
  });

  it('signs requests and shows the certificate where it has a key, and keeps the key to itself', async () => {
    const corp = { ...options, privateKey: privateKeyPem, publicCert: TEST_CERTIFICATE };
    const { strategies, actions, redacted } = await setUp({ corp });
    expect(strategies).toEqual(['corp']);
    expect(JSON.stringify(redacted)).not.toContain('PRIVATE');
    const metadata = actions[0]?.run({ args: { strategy: 'corp' } } as never);
    const { text } = metadata as unknown as { readonly text: string };
    expect(text).toContain('AuthnRequestsSigned="true"');
    expect(text).toContain('X509Certificate');
    expect(text).not.toContain('PRIVATE');
  });
});
