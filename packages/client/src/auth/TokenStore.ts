/** Keeps the token of a session. Implement it to keep tokens elsewhere, such as in a file or a native keychain. */
export interface TokenStore {
  /** The token; null: no session. */
  get(): string | null | Promise<string | null>;
  set(token: string | null): void | Promise<void>;
  /** Calls the listener after another page or process changed the token. Returns the function that ends it. */
  onChange?(listener: () => void): () => void;
  /** Runs one function at a time among all users of the store, so that only one of them renews the token. */
  exclusive?<T>(work: () => Promise<T>): Promise<T>;
}

/** Tokens that the application manages itself. */
export interface TokenSource {
  /** Called for each request. Null: anonymous. */
  token(): string | null | Promise<string | null>;
  /** Gets a new token after the server answered that the present one has expired; null: the session has ended. */
  refresh?(): Promise<string | null>;
}
