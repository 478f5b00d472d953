import { isJsonObject } from '@millrace/kernel';
import { SettingsReader } from './SettingsReader.js';

const STRATEGY_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const MAX_PROVIDERS = 100;
/** Properties of a user that only the server sets, or keeps secret. */
const OWN_PROPERTIES = ['profileIds', 'profileId', 'suid', 'password', 'credentials'];

/** Maps the identities of a provider to users; every kind of provider has these settings. */
export interface ProviderUsers {
  /** User `_id` by identifier. */
  readonly users: ReadonlyMap<string, string>;
  readonly createUser: boolean;
  readonly defaultProfileIds: readonly string[];
  /** Attribute by user property. */
  readonly attributeMap: ReadonlyMap<string, string>;
}

/**
 * Reads identity providers: an object by strategy name, or its JSON text (from the environment).
 * @param read creates a provider from its strategy name and settings
 * @throws Error that names the key and the expected value, never the actual value
 */
export function readProviders<T>(value: unknown, read: (strategy: string, reader: SettingsReader) => T): readonly T[] {
  const providers = typeof value === 'string' ? parseText(value) : value;
  if (!isJsonObject(providers)) throw new Error('expected an object: providers by strategy name');
  const entries = Object.entries(providers);
  if (entries.length > MAX_PROVIDERS) throw new Error(`expected at most ${MAX_PROVIDERS} providers`);
  return entries.map(([strategy, options]) => {
    if (!STRATEGY_NAME.test(strategy)) {
      throw new Error(
        'expected strategy names of 1 to 64 letters, digits, "_", "-", ".", beginning with a letter or digit',
      );
    }
    if (!isJsonObject(options)) throw new Error(`${strategy}: expected an object`);
    return read(strategy, new SettingsReader(strategy, options));
  });
}

/**
 * Reads `users`, `createUser`, `defaultProfileIds` and `attributeMap` of a provider.
 * @throws Error that names the key and the expected value
 */
export function readProviderUsers(reader: SettingsReader): ProviderUsers {
  return {
    users: new Map(Object.entries(reader.textMap('users'))),
    createUser: reader.boolean('createUser') ?? false,
    defaultProfileIds: reader.texts('defaultProfileIds') ?? ['default'],
    attributeMap: attributesOf(reader),
  };
}

function parseText(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    throw new Error('expected JSON');
  }
}

function attributesOf(reader: SettingsReader): ReadonlyMap<string, string> {
  const attributes = Object.entries(reader.textMap('attributeMap'));
  const refused = attributes.find(([property]) => property.startsWith('_') || OWN_PROPERTIES.includes(property));
  if (refused === undefined) return new Map(attributes);
  throw reader.refused('attributeMap', `free properties of a user, not ${refused[0]}`);
}
