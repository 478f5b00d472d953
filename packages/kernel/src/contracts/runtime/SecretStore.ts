import type { InjectionToken } from 'tsyringe';

/**
 * Secrets that this server makes for itself, kept apart from its data: whoever can read the storage engine can't read
 * them. Present where the storage engine belongs to this process alone (the embedded one); one writer at a time.
 */
export interface SecretStore {
  /** @returns null where none is kept under this name @throws core.invalid_config where the store can't be read */
  read(name: string): Promise<string | null>;
  /** Replaces the secret of this name. Durable once it resolves. */
  write(name: string, secret: string): Promise<void>;
  /** Forgets the secret of this name, if there is one. Durable once it resolves. */
  remove(name: string): Promise<void>;
}

/** The secrets of this server. Not registered where other processes share the storage engine. */
export const SECRET_STORE: InjectionToken<SecretStore> = Symbol.for('millrace.SecretStore');
