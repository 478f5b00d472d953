/** A password hashing algorithm with its parameters. Both calls run off the event loop. */
export interface PasswordHasher {
  /** The first field of its hashes: `argon2id`, `scrypt`. */
  readonly algorithm: string;
  /** Hashes with a new salt, in PHC string format: `$<algorithm>$<parameters>$<salt>$<hash>`. */
  hash(password: string): Promise<string>;
  /** Whether the password matches a hash of this algorithm, whatever its parameters. False for a malformed hash. */
  verify(hash: string, password: string): Promise<boolean>;
  /** Whether a hash of this algorithm was made with weaker parameters than the current ones. */
  isOutdated(hash: string): boolean;
}
