import { type ConfigSchema, integerBetween, positiveInteger } from '@millrace/kernel';
import type { InjectionToken } from 'tsyringe';
import { JWT_ALGORITHMS, type JwtAlgorithm } from './tokens/JWT_ALGORITHMS.js';
import { parseTimeSpan } from './tokens/parseTimeSpan.js';

/** How often something may fail or be done within a time span. */
export interface LimitConfig {
  readonly windowMs: number;
}

/** The values of section `security`, as validated by `securityConfig`. */
export interface SecurityConfig {
  readonly openUntilFirstAdmin: boolean;
  /** Null: same as `openUntilFirstAdmin`. */
  readonly openSignUp: boolean | null;
  /** User properties that only administrators may write; conditions may read them. */
  readonly protectedProperties: readonly string[];
  /** Empty: the signing key is not encrypted at rest. */
  readonly keyEncryptionSecret: string;
  readonly restrictedProfileIds: readonly string[];
  /** Empty: a random token, printed in the log. */
  readonly setupToken: string;
  readonly jwt: {
    readonly algorithm: JwtAlgorithm;
    readonly secret: string;
    readonly privateKey: string;
    readonly publicKey: string;
    /** Seconds or a time span, read by `parseTimeSpan`. */
    readonly expiresIn: string | number;
    readonly maxTTL: string | number;
    /** How long `refreshToken` can prolong a session, counted from its login. */
    readonly maxSessionAge: string | number;
  };
  readonly login: LimitConfig & {
    readonly maxFailuresPerAccount: number;
    readonly maxFailuresPerAddress: number;
    readonly strategyTimeoutMs: number;
    /** Tokens per minute for the bucket of one account and address; a login or a password change takes one. */
    readonly maxPerMinute: number;
    /** Size of the bucket. */
    readonly burst: number;
  };
  readonly signUp: LimitConfig & { readonly maxPerAddress: number };
  readonly apiKeys: {
    /** Seconds or a time span. */
    readonly expiresIn: string | number;
    readonly maxTTL: string | number;
    readonly rotationGraceMs: number;
    readonly maxPerUser: number;
  };
  readonly cache: {
    readonly maxUsers: number;
    readonly maxTokens: number;
    readonly maxApiKeys: number;
  };
}

/** The values of the current server. */
export const SECURITY_CONFIG: InjectionToken<SecurityConfig> = Symbol('SecurityConfig');

const MIN_SECRET_BYTES = 32;
const MIN_SECRET_VARIETY = 10;
const MIN_SETUP_TOKEN_LENGTH = 16;

function timeSpan(value: unknown): void {
  if (parseTimeSpan(value) === undefined) {
    throw new Error('must be a number of seconds or a time span such as "2 days", above zero');
  }
}

/** A known or guessable secret lets anyone forge tokens, so the server refuses to start. */
function secret(value: unknown): void {
  if (value === '') return;
  const isLong = typeof value === 'string' && Buffer.byteLength(value) >= MIN_SECRET_BYTES;
  if (!isLong || new Set(value).size < MIN_SECRET_VARIETY) {
    throw new Error(`must be at least ${MIN_SECRET_BYTES} random bytes of text, or empty to have one generated`);
  }
}

function pem(label: RegExp, expected: string): (value: unknown) => void {
  return (value) => {
    if (value === '' || (typeof value === 'string' && label.test(value.trim()))) return;
    throw new Error(`must be ${expected} in PEM form, or empty`);
  };
}

/** A short setup token can be guessed by whoever reaches the server first. */
function setupToken(value: unknown): void {
  if (value === '' || (typeof value === 'string' && value.length >= MIN_SETUP_TOKEN_LENGTH)) return;
  throw new Error(`must be a string of at least ${MIN_SETUP_TOKEN_LENGTH} characters, or empty to have one generated`);
}

/** Top-level names only: a protected property is protected with all its descendants. */
function propertyNames(value: unknown): void {
  const isName = (each: unknown) =>
    typeof each === 'string' && each !== '' && !each.includes('.') && !each.startsWith('_');
  if (!Array.isArray(value) || !value.every(isName)) {
    throw new Error('must be a list of property names without "." and not beginning with "_"');
  }
}

function profileIds(value: unknown): void {
  const isList = Array.isArray(value) && value.length > 0;
  if (!isList || !value.every((id) => typeof id === 'string' && id !== '')) {
    throw new Error('must be a non-empty list of profile identifiers');
  }
}

/** Configuration keys of section `security`. */
export const securityConfig: ConfigSchema = {
  openUntilFirstAdmin: {
    doc: 'Lets anonymous requests do nearly everything until a first administrator exists; false by default where NODE_ENV is "production"',
    format: Boolean,
    default: true,
  },
  openSignUp: {
    doc: 'Lets anonymous callers create restricted users; by default as openUntilFirstAdmin',
    format: Boolean,
    nullable: true,
    default: null,
  },
  protectedProperties: {
    doc: 'Properties of users that administrators alone write, as a list or separated by commas: updateSelf and sign-up refuse them',
    format: propertyNames,
    default: [],
  },
  keyEncryptionSecret: {
    doc: 'Encrypts the generated signing key in the storage engine; needed on engines that others can read, such as Elasticsearch. Empty: with the embedded engine the key is kept in the file signing-key.json in server.dataDir, else in the clear in the storage engine',
    format: secret,
    default: '',
    sensitive: true,
  },
  restrictedProfileIds: {
    doc: 'Profiles of users made by createRestrictedUser, as a list or separated by commas',
    format: profileIds,
    default: ['default'],
  },
  setupToken: {
    doc: 'What createFirstAdmin asks for where openUntilFirstAdmin is false, at least 16 characters; empty: a random one, printed in the log',
    format: setupToken,
    default: '',
    sensitive: true,
  },
  jwt: {
    algorithm: { doc: 'How tokens are signed', format: [...JWT_ALGORITHMS], default: 'HS256' },
    secret: {
      doc: 'Secret of the HS algorithms; empty: one is generated at the first start and kept (see keyEncryptionSecret)',
      format: secret,
      default: '',
      sensitive: true,
    },
    privateKey: {
      doc: 'Private key of the other algorithms, PKCS #8 in PEM form; empty: a pair is generated at the first start and kept (see keyEncryptionSecret)',
      format: pem(/^-----BEGIN PRIVATE KEY-----/, 'a PKCS #8 private key'),
      default: '',
      sensitive: true,
    },
    publicKey: {
      doc: 'Public key that belongs to it, SPKI in PEM form; empty: derived from the private one',
      format: pem(/^-----BEGIN PUBLIC KEY-----/, 'an SPKI public key'),
      default: '',
    },
    expiresIn: {
      doc: 'Life of a token where a login names none: seconds or a time span',
      format: timeSpan,
      default: '1h',
    },
    maxTTL: {
      doc: 'Longest life of a token: seconds or a time span; a token that claims a longer one is refused, whoever signed it',
      format: timeSpan,
      default: '30 days',
    },
    maxSessionAge: {
      doc: 'How long after its login a session can be prolonged by refreshToken: seconds or a time span',
      format: timeSpan,
      default: '30 days',
    },
  },
  login: {
    maxFailuresPerAccount: {
      doc: 'Failed logins for one account from one address within the window',
      format: positiveInteger,
      default: 10,
    },
    maxFailuresPerAddress: {
      doc: 'Failed logins from one address within the window',
      format: positiveInteger,
      default: 200,
    },
    windowMs: {
      doc: 'How long a failed login counts, in milliseconds',
      format: positiveInteger,
      default: 900_000,
    },
    maxPerMinute: {
      doc: 'Logins and password changes of one account from one address, and token renewals of one account, per minute, successful ones included; more are answered 429',
      format: positiveInteger,
      default: 60,
    },
    burst: {
      doc: 'How many of them may come at once',
      format: positiveInteger,
      default: 60,
    },
    strategyTimeoutMs: {
      doc: 'Time limit of a strategy for one login, in milliseconds',
      format: positiveInteger,
      default: 5_000,
    },
  },
  signUp: {
    maxPerAddress: {
      doc: 'Sign-ups without a token from one address within the window',
      format: positiveInteger,
      default: 60,
    },
    windowMs: {
      doc: 'How long a sign-up counts, in milliseconds',
      format: positiveInteger,
      default: 3_600_000,
    },
  },
  apiKeys: {
    expiresIn: {
      doc: 'Life of an API key where its creation names no expiresAt: seconds or a time span',
      format: timeSpan,
      default: '90 days',
    },
    maxTTL: {
      doc: 'Longest life of an API key that expires: seconds or a time span',
      format: timeSpan,
      default: '1 year',
    },
    rotationGraceMs: {
      doc: 'How long the replaced secret of an API key stays valid after a rotation that names no graceMs, and at most otherwise, in milliseconds; 0: not at all',
      format: integerBetween(0, 2_000_000_000),
      default: 86_400_000,
    },
    maxPerUser: { doc: 'API keys of one user', format: positiveInteger, default: 100 },
  },
  cache: {
    maxUsers: { doc: 'Users kept in memory', format: positiveInteger, default: 10_000 },
    maxTokens: { doc: 'Verified tokens kept in memory', format: positiveInteger, default: 10_000 },
    maxApiKeys: { doc: 'API keys kept in memory', format: positiveInteger, default: 10_000 },
  },
};
