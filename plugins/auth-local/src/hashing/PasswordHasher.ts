/** One way to hash passwords, with parameters of its own. Both calls run off the event loop. */
export interface PasswordHasher {
  /** The first field of its hashes: `argon2id`, `scrypt`. */
  readonly algorithm: string;
  /** A hash with a fresh salt, as PHC text: `$<algorithm>$<parameters>$<salt>$<hash>`. */
  hash(password: string): Promise<string>;
  /** Does the password belong to a hash of this algorithm, whatever its parameters? False for a broken hash. */
  verify(hash: string, password: string): Promise<boolean>;
  /** Is a hash of this algorithm made with less than the parameters of now? */
  isOutdated(hash: string): boolean;
}
