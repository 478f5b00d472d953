import { describe, expect, it } from 'vitest';
import { loadConfig } from '@millrace/kernel';
import { oauth2Config } from './config.js';
import { oauth2Auth } from './oauth2Auth.js';
import { parseProviders } from './parseProviders.js';

const SECRET = 'hush-hush';
const plain = {
  authorizationURL: 'https://p.example/auth',
  tokenURL: 'https://p.example/token',
  profileURL: 'https://p.example/me',
  clientID: 'us',
  clientSecret: SECRET,
};
const openId = { openid: 'https://p.example', clientID: 'us', clientSecret: SECRET };

describe('oauth2.providers', () => {
  it('completes a provider, whose callback has the versioned path', () => {
    const [provider] = parseProviders({ github: plain }, 'https://app.example/base/');
    expect(provider).toMatchObject({
      strategy: 'github',
      callbackURL: 'https://app.example/base/api/1.0/_login/github',
      createUser: false,
      defaultProfileIds: ['default'],
      identifierAttribute: 'id',
      scope: [],
    });
    const [discovered] = parseProviders({ p: { ...openId, scope: 'email  profile' } }, 'http://x');
    expect(discovered).toMatchObject({
      scope: ['openid', 'email', 'profile'],
      identifierAttribute: 'sub',
      issuer: 'https://p.example',
    });
  });

  it('takes JSON text, as an environment variable has it', () => {
    const [provider] = parseProviders(JSON.stringify({ p: openId }), 'http://x');
    expect(provider?.strategy).toBe('p');
    expect(parseProviders('', 'http://x')).toEqual([]);
  });

  it.each<[string, unknown, RegExp]>([
    ['a list', [], /an object/],
    ['text that is no JSON', '{', /JSON/],
    ['a name that no path can contain', { 'a/b': plain }, /strategy names/],
    ['the name __proto__', JSON.parse('{"__proto__": {}}'), /strategy names/],
    ['a provider that is no object', { p: SECRET }, /p: expected an object/],
    ['no client', { p: { ...plain, clientID: undefined } }, /p\.clientID is missing/],
    ['an empty client', { p: { ...plain, clientID: '' } }, /p\.clientID is missing/],
    ['no token address', { p: { ...plain, tokenURL: null } }, /p\.tokenURL is missing.*openid/],
    ['no profile address', { p: { ...plain, profileURL: '' } }, /p\.profileURL is missing/],
    [
      'a secret of another form',
      { p: { ...plain, clientSecret: { hush: SECRET } } },
      /p\.clientSecret: expected a string/,
    ],
    ['an unknown key', { p: { ...plain, clientSecrets: SECRET } }, /unknown key "clientSecrets"/],
    ['a relative address', { p: { ...plain, tokenURL: '/token' } }, /p\.tokenURL: expected an absolute https address/],
    ['another scheme', { p: { ...plain, tokenURL: 'file:///etc/passwd' } }, /p\.tokenURL/],
    ['a user in an address', { p: { ...plain, tokenURL: `https://u:${SECRET}@p.example` } }, /p\.tokenURL/],
    ['plain http', { p: { ...plain, tokenURL: 'http://p.example/token' } }, /p\.tokenURL: .*https.*allowHttp/],
    ['an issuer over plain http', { p: { ...openId, openid: 'http://p.example' } }, /p\.openid/],
    ['both kinds of provider', { p: { ...openId, profileURL: 'https://p.example/me' } }, /p\.profileURL/],
    ['users known by e-mail', { p: { ...openId, identifierAttribute: 'email' } }, /p\.identifierAttribute/],
    [
      'users known by a path to an e-mail',
      { p: { ...plain, identifierAttribute: 'user.emailAddress' } },
      /p\.identifierAttribute/,
    ],
    ['createUser as text', { p: { ...plain, createUser: 'yes' } }, /p\.createUser: expected true or false/],
    ['no profiles', { p: { ...plain, defaultProfileIds: [] } }, /p\.defaultProfileIds/],
    ['profiles as text', { p: { ...plain, defaultProfileIds: 'default' } }, /p\.defaultProfileIds: expected a list/],
    [
      'attributes that become profiles',
      { p: { ...plain, attributeMap: { profileIds: 'groups' } } },
      /p\.attributeMap.*profileIds/,
    ],
    ['attributes that are no strings', { p: { ...plain, attributeMap: { a: 5 } } }, /p\.attributeMap/],
    [
      'parameters of ours',
      { p: { ...plain, authorizationParameters: { state: 'x' } } },
      /p\.authorizationParameters.*state/,
    ],
    ['another proof of the client', { p: { ...plain, clientAuthentication: 'jwt' } }, /"basic" or "post"/],
  ])('refuses %s, and repeats no value', (_, providers, message) => {
    const refuse = () => parseProviders(providers, 'http://x');
    expect(refuse).toThrow(message);
    expect(refuse).not.toThrow(SECRET);
    const load = () =>
      loadConfig(
        { oauth2: oauth2Config },
        { file: { name: 'f', values: { oauth2: { providers: providers as never } } } },
      );
    if (typeof providers === 'object' && !Array.isArray(providers)) {
      expect(load).toThrow(/^Invalid configuration oauth2\.providers: [^\n]+$/);
      expect(load).not.toThrow(SECRET);
    }
  });

  it('takes plain http on the loopback, and elsewhere where it is allowed', () => {
    const local = { ...openId, openid: 'http://localhost:8080' };
    const elsewhere = { ...openId, openid: 'http://keycloak:8080/realms/x', allowHttp: true };
    expect(parseProviders({ local, elsewhere }, 'http://x')).toHaveLength(2);
  });
});

describe('oauth2Auth', () => {
  it('registers nothing without a provider', async () => {
    const plugin = oauth2Auth();
    const { values } = loadConfig({ ...plugin.config } as never, {});
    const strategies: unknown[] = [];
    const host = { config: values, strategy: (strategy: unknown) => strategies.push(strategy) };
    await plugin.setup(host as never);
    expect(strategies).toEqual([]);
  });

  it('takes other defaults, and refuses an option that it does not have', () => {
    const plugin = oauth2Auth({ timeoutMs: 1_000, providers: { p: openId } });
    const { values, redacted } = loadConfig({ ...plugin.config } as never, {});
    expect(values['oauth2']).toMatchObject({ timeoutMs: 1_000, providers: { p: openId } });
    expect(JSON.stringify(redacted)).not.toContain(SECRET);
    expect(() => oauth2Auth({ provider: {} } as never)).toThrow(/no such option: provider/);
  });

  it('limits the life of states to ten minutes', () => {
    const load = () => loadConfig({ oauth2: oauth2Config }, { flags: { 'oauth2.stateLifeMs': '600001' } });
    expect(load).toThrow(/oauth2\.stateLifeMs/);
  });
});
