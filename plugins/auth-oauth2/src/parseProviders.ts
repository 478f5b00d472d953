import { readProviders, readProviderUsers, type SettingsReader } from '@millrace/plugin-kit';
import type { ProviderSettings } from './ProviderSettings.js';

// E-mail addresses and names can be reassigned; the next holder would get the account (SEC-65).
const CHANGEABLE_ATTRIBUTE = /(^|\.)(e-?mails?|e-?mail_?address|mail|upn|preferred_username)$/i;
const OWN_PARAMETERS = [
  'client_id', 'client_secret', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce', 'code_challenge',
  'code_challenge_method', 'request', 'request_uri',
]; // prettier-ignore

/**
 * Validates `oauth2.providers`: an object by strategy name, or its JSON as a string (from the environment).
 * @param publicUrl base of callback URLs that aren't configured
 * @throws Error with the key and the expected value, never the actual value
 */
export function parseProviders(value: unknown, publicUrl: string): readonly ProviderSettings[] {
  return readProviders(value, (strategy, reader) => parseProvider(strategy, reader, publicUrl));
}

function parseProvider(strategy: string, reader: SettingsReader, publicUrl: string): ProviderSettings {
  const allowHttp = reader.boolean('allowHttp') ?? false;
  const issuer = reader.address('openid', allowHttp);
  const settings: ProviderSettings = {
    strategy,
    issuer,
    allowHttp,
    authorizationURL: reader.address('authorizationURL', allowHttp),
    tokenURL: reader.address('tokenURL', allowHttp),
    profileURL: reader.address('profileURL', allowHttp),
    clientID: reader.required(reader.text('clientID'), 'clientID', 'a string'),
    clientSecret: reader.text('clientSecret'),
    clientAuthentication: reader.oneOf('clientAuthentication', ['basic', 'post']),
    // The client's browser goes there: plain http is the operator's choice.
    callbackURL: reader.address('callbackURL', true) ?? defaultCallback(publicUrl, strategy),
    scope: scopeOf(reader, issuer !== null),
    identifierAttribute: identifierOf(reader, issuer !== null),
    ...readProviderUsers(reader),
    authorizationParameters: parametersOf(reader),
  };
  reader.assertAllKnown();
  assertComplete(reader, settings);
  return settings;
}

/** A provider is either discovered, or all of its endpoints are configured. */
function assertComplete(reader: SettingsReader, settings: ProviderSettings): void {
  const { issuer, authorizationURL, tokenURL, profileURL } = settings;
  if (issuer === null) {
    const expected = 'an address, or "openid" in its place';
    reader.required(authorizationURL, 'authorizationURL', expected);
    reader.required(tokenURL, 'tokenURL', expected);
    reader.required(profileURL, 'profileURL', expected);
  } else if (profileURL !== null) {
    throw reader.refused('profileURL', 'none: with "openid" attributes come from the provider');
  }
  if (settings.defaultProfileIds.length === 0) {
    throw reader.refused('defaultProfileIds', 'at least one profile');
  }
}

function defaultCallback(publicUrl: string, strategy: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/api/1.0/_login/${strategy}`;
}

function scopeOf(reader: SettingsReader, isOpenId: boolean): readonly string[] {
  const given = reader.textOrTexts('scope') ?? [];
  const scope = given.flatMap((part) => part.split(/[ ]+/)).filter((part) => part !== '');
  return isOpenId && !scope.includes('openid') ? ['openid', ...scope] : scope;
}

function identifierOf(reader: SettingsReader, isOpenId: boolean): string {
  const attribute = reader.text('identifierAttribute') ?? (isOpenId ? 'sub' : 'id');
  if (!CHANGEABLE_ATTRIBUTE.test(attribute)) return attribute;
  throw reader.refused(
    'identifierAttribute',
    'an attribute that is one user’s for ever, such as "sub" or "id": addresses and names change hands',
  );
}

function parametersOf(reader: SettingsReader): Readonly<Record<string, string>> {
  const parameters = reader.textMap('authorizationParameters');
  const own = Object.keys(parameters).find((name) => OWN_PARAMETERS.includes(name));
  if (own === undefined) return parameters;
  throw reader.refused('authorizationParameters', `further parameters, not ${own}`);
}
