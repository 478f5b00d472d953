import { type ConfigSchema, integerBetween } from '@millrace/kernel';

/** The algorithm of new hashes. */
export type Algorithm = 'auto' | 'argon2id' | 'scrypt';

/** The values of section `local`, complete and validated. */
export interface LocalConfig {
  readonly algorithm: Algorithm;
  readonly password: {
    /** In characters (code points). */
    readonly minLength: number;
    /** In bytes of UTF-8: bounds the work that a password can cause. */
    readonly maxLength: number;
    readonly forbidUsername: boolean;
  };
  readonly argon2id: {
    readonly memoryKib: number;
    readonly iterations: number;
    readonly parallelism: number;
  };
  /** The cost is 2 to this power; a hash takes 1 KiB of memory times the cost. */
  readonly scrypt: { readonly logCost: number };
  readonly hashing: {
    /** 0: as many as there are processors, at most 3. */
    readonly concurrency: number;
    readonly maxWaiting: number;
    readonly maxWaitMs: number;
  };
}

/**
 * Configuration keys of section `local`. The minimum costs are those recommended by OWASP's password storage sheet: a
 * configuration can make hashes stronger but not weaker.
 */
export const localConfig: ConfigSchema = {
  algorithm: {
    doc: 'How passwords are hashed: argon2id, scrypt, or auto (argon2id where its binary can be loaded, else scrypt)',
    format: ['auto', 'argon2id', 'scrypt'],
    default: 'auto',
  },
  password: {
    minLength: {
      doc: 'Shortest password taken for a user, in characters',
      format: integerBetween(1, 256),
      default: 8,
    },
    maxLength: {
      doc: 'Longest password, in bytes of UTF-8',
      format: integerBetween(64, 65_536),
      default: 1_024,
    },
    forbidUsername: {
      doc: "Refuse a password that is the user's own identifier, in any case",
      format: Boolean,
      default: true,
    },
  },
  argon2id: {
    memoryKib: {
      doc: 'Memory of one argon2id hash, in KiB',
      format: integerBetween(19_456, 1_048_576),
      default: 19_456,
    },
    iterations: {
      doc: 'Passes of argon2id over its memory',
      format: integerBetween(2, 100),
      default: 2,
    },
    parallelism: { doc: 'Lanes of one argon2id hash', format: integerBetween(1, 16), default: 1 },
  },
  scrypt: {
    logCost: {
      doc: 'Cost N of scrypt as a power of two; 17 takes 128 MiB for each hash',
      format: integerBetween(17, 20),
      default: 17,
    },
  },
  hashing: {
    concurrency: {
      doc: 'How many passwords are hashed at the same time; 0 for one a processor, at most 3',
      format: integerBetween(0, 64),
      default: 0,
    },
    maxWaiting: {
      doc: 'How many passwords may wait for their hash; more are answered 503',
      format: integerBetween(1, 100_000),
      default: 1_000,
    },
    maxWaitMs: {
      doc: 'How long a password may wait for its hash, in milliseconds; then 503',
      // The host's time limit for a strategy is 5 s.
      format: integerBetween(1, 4_500),
      default: 4_000,
    },
  },
};

/** Defaults for some of the keys, set by the program that installs the plugin. */
export type LocalAuthOptions = {
  readonly [K in keyof LocalConfig]?: LocalConfig[K] extends object ? Partial<LocalConfig[K]> : LocalConfig[K];
};
