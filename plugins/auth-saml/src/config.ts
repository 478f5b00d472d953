import { integerBetween, webAddress, type ConfigSchema, type JsonObject } from '@millrace/kernel';
import { parseSamlProviders } from './parseSamlProviders.js';

/** The values of section `saml`, as validated by `samlConfig`. */
export interface SamlConfig {
  /** By strategy name. May contain private keys. */
  readonly providers: JsonObject | string;
  readonly publicURL: string;
  readonly requestLifeMs: number;
  readonly clockSkewMs: number;
  /** In bytes of XML. */
  readonly maxResponseSize: number;
}

/** Configuration keys of section `saml`. */
export const samlConfig: ConfigSchema = {
  providers: {
    doc: 'Identity providers by the name of their strategy (plugins/auth-saml/README.md). May hold private keys, so it is never shown',
    format: (value: unknown) => void parseSamlProviders(value, 'http://localhost'),
    default: {},
    sensitive: true,
  },
  publicURL: {
    doc: "The server's address as browsers see it: the base of callback addresses and entity ids that a provider doesn't set",
    format: webAddress,
    default: 'http://localhost:7511',
  },
  requestLifeMs: {
    doc: 'How long a client may take at the identity provider, in milliseconds',
    format: integerBetween(1_000, 600_000),
    default: 600_000,
  },
  clockSkewMs: {
    doc: 'By how much the clock of an identity provider may differ, in milliseconds',
    format: integerBetween(0, 300_000),
    default: 30_000,
  },
  maxResponseSize: {
    doc: 'Largest answer of an identity provider that is read, in bytes of XML',
    format: integerBetween(4_096, 524_288),
    default: 131_072,
  },
};
