import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readProviders, readProviderUsers, type SettingsReader } from '@millrace/plugin-kit';
import type { SamlSettings } from './SamlSettings.js';

/** The name that stands for the subject. */
export const NAME_ID = 'nameID';

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
// E-mail addresses and names can be reassigned; the next holder would get the account (SEC-65).
const CHANGEABLE_ATTRIBUTE = /(^|[./:])(e-?mails?|e-?mail_?address|mail|upn)$|0\.9\.2342\.19200300\.100\.1\.3$/i;

/**
 * Validates `saml.providers`: an object by strategy name, or its JSON as a string (from the environment).
 * @param publicUrl base of URLs that aren't configured
 * @throws Error with the key and the expected value, never the actual value
 */
export function parseSamlProviders(value: unknown, publicUrl: string): readonly SamlSettings[] {
  const base = publicUrl.replace(/\/+$/, '');
  return readProviders(value, (strategy, reader) => parseProvider(strategy, reader, base));
}

function parseProvider(strategy: string, reader: SettingsReader, base: string): SamlSettings {
  const allowHttp = reader.boolean('allowHttp') ?? false;
  const entryPoint = reader.address('entryPoint', allowHttp);
  const issuer = reader.text('issuer') ?? `${base}/_saml/${strategy}/metadata`;
  const settings: SamlSettings = {
    strategy,
    entryPoint: reader.required(entryPoint, 'entryPoint', 'an address'),
    idpIssuer: reader.required(reader.text('idpIssuer'), 'idpIssuer', 'an entity id'),
    idpCert: certificatesOf(reader),
    issuer,
    callbackURL: reader.address('callbackURL', true) ?? `${base}/api/1.0/_login/${strategy}`,
    audience: reader.text('audience') ?? issuer,
    wantResponseSigned: reader.boolean('wantResponseSigned') ?? true,
    privateKey: privateKeyOf(reader),
    publicCert: publicCertificateOf(reader),
    identifierFormat: reader.text('identifierFormat') ?? PERSISTENT,
    identifierAttribute: identifierOf(reader),
    allowEmailSubject: reader.boolean('allowEmailSubject') ?? false,
    ...readProviderUsers(reader),
  };
  reader.assertAllKnown();
  if (settings.defaultProfileIds.length === 0) {
    throw reader.refused('defaultProfileIds', 'at least one profile');
  }
  return settings;
}

function certificatesOf(reader: SettingsReader): readonly string[] {
  const given = reader.required(reader.textOrTexts('idpCert'), 'idpCert', 'a certificate');
  if (given.length === 0) throw reader.refused('idpCert', 'at least one certificate');
  return given.map((text) => toPem(text, reader, 'idpCert'));
}

function publicCertificateOf(reader: SettingsReader): string | null {
  const text = reader.text('publicCert');
  return text === null ? null : toPem(text, reader, 'publicCert');
}

/** @throws if it isn't a certificate: otherwise the server would start and then refuse every login */
function toPem(text: string, reader: SettingsReader, key: string): string {
  const pem = text.includes('-----BEGIN')
    ? text.trim()
    : `-----BEGIN CERTIFICATE-----\n${text.replace(/\s+/g, '')}\n-----END CERTIFICATE-----`;
  try {
    return new X509Certificate(pem).toString().trim();
  } catch {
    throw reader.refused(key, 'an X.509 certificate as PEM, or its base64 text');
  }
}

function privateKeyOf(reader: SettingsReader): string | null {
  const text = reader.text('privateKey');
  if (text === null) return null;
  try {
    createPrivateKey(text);
    return text;
  } catch {
    throw reader.refused('privateKey', 'a private key as PEM, without a passphrase');
  }
}

function identifierOf(reader: SettingsReader): string {
  const attribute = reader.text('identifierAttribute') ?? NAME_ID;
  if (!CHANGEABLE_ATTRIBUTE.test(attribute)) return attribute;
  throw reader.refused(
    'identifierAttribute',
    'an attribute that is one user’s for ever, such as "nameID": addresses change hands',
  );
}
