import { integerBetween, webAddress, type ConfigSchema, type JsonObject } from '@millrace/kernel';
import { parseProviders } from './parseProviders.js';

/** The values of section `oauth2`, as validated by `oauth2Config`. */
export interface OAuth2Config {
  /** By strategy name. Contains secrets. */
  readonly providers: JsonObject | string;
  readonly publicURL: string;
  readonly timeoutMs: number;
  readonly stateLifeMs: number;
  /** In bytes. */
  readonly maxResponseSize: number;
  readonly maxConcurrent: number;
}

/** Ten minutes at most (SEC-64). */
const MAX_STATE_LIFE_MS = 600_000;

/** Configuration keys of section `oauth2`. */
export const oauth2Config: ConfigSchema = {
  providers: {
    doc: 'Providers by the name of their strategy (plugins/auth-oauth2/README.md). Holds secrets, so it is never shown',
    format: (value: unknown) => void parseProviders(value, 'http://localhost'),
    default: {},
    sensitive: true,
  },
  publicURL: {
    doc: "The server's address as browsers see it: the base of callback addresses that a provider doesn't set",
    format: webAddress,
    default: 'http://localhost:7511',
  },
  timeoutMs: {
    doc: 'How long a login may wait for its provider, in milliseconds; then 503',
    // The host's time limit for a strategy is 5 s.
    format: integerBetween(100, 4_500),
    default: 4_000,
  },
  stateLifeMs: {
    doc: 'How long a client may take at the provider, in milliseconds',
    format: integerBetween(1_000, MAX_STATE_LIFE_MS),
    default: MAX_STATE_LIFE_MS,
  },
  maxResponseSize: {
    doc: 'Largest answer of a provider that is read, in bytes; larger ones are refused',
    format: integerBetween(1_024, 16_777_216),
    default: 262_144,
  },
  maxConcurrent: {
    doc: 'How many logins may ask one provider at the same time; more are answered 503',
    format: integerBetween(1, 1_000),
    default: 10,
  },
};
