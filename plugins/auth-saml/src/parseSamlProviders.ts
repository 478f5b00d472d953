import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isJsonObject, SettingsReader, type JsonObject } from '@millrace/kernel';
import type { SamlSettings } from './SamlSettings.js';

/** The attribute that stands for the subject. */
export const NAME_ID = 'nameID';

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const STRATEGY_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const MAX_PROVIDERS = 100;
// An address is given away and taken over; whoever has it next would get the account (decisions.md section 10).
const CHANGEABLE_ATTRIBUTE =
  /(^|[./:])(e-?mails?|e-?mail_?address|mail|upn)$|0\.9\.2342\.19200300\.100\.1\.3$/i;
/** What the server alone decides of a user, or keeps as a secret. */
const OWN_PROPERTIES = ['profileIds', 'profileId', 'suid', 'password', 'credentials'];

/**
 * Checks `saml.providers`: an object by strategy name, or its JSON text (from the environment).
 * @param publicUrl base of addresses that aren't given
 * @throws Error that names the key and what is expected, and never a value
 */
export function parseSamlProviders(value: unknown, publicUrl: string): readonly SamlSettings[] {
  const providers = typeof value === 'string' ? parseText(value) : value;
  if (!isJsonObject(providers)) throw new Error('expected an object: providers by strategy name');
  const entries = Object.entries(providers);
  if (entries.length > MAX_PROVIDERS)
    throw new Error(`expected at most ${MAX_PROVIDERS} providers`);
  return entries.map(([strategy, options]) => {
    if (!STRATEGY_NAME.test(strategy)) {
      throw new Error(
        'expected strategy names of 1 to 64 letters, digits, "_", "-", ".", beginning with a letter or digit',
      );
    }
    if (!isJsonObject(options)) throw new Error(`${strategy}: expected an object`);
    return parseProvider(strategy, options, publicUrl.replace(/\/+$/, ''));
  });
}

function parseText(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    throw new Error('expected JSON');
  }
}

function parseProvider(strategy: string, options: JsonObject, base: string): SamlSettings {
  const reader = new SettingsReader(strategy, options);
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
    users: new Map(Object.entries(reader.textMap('users'))),
    createUser: reader.boolean('createUser') ?? false,
    defaultProfileIds: reader.texts('defaultProfileIds') ?? ['default'],
    attributeMap: attributesOf(reader),
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

/** @throws where it is no certificate: a server must not start and then refuse every login */
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

function attributesOf(reader: SettingsReader): ReadonlyMap<string, string> {
  const attributes = Object.entries(reader.textMap('attributeMap'));
  const refused = attributes.find(
    ([property]) => property.startsWith('_') || OWN_PROPERTIES.includes(property),
  );
  if (refused === undefined) return new Map(attributes);
  throw reader.refused('attributeMap', `free properties of a user, not ${refused[0]}`);
}
