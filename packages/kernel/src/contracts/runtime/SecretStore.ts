import type { InjectionToken } from 'tsyringe';

/**
 * Secrets that this server generates for itself, stored apart from its data: access to the storage engine gives no
 * access to them. Present if the storage engine belongs to this process alone (the embedded one); one writer at a time.
 */
export interface SecretStore {
  /** @returns null if no secret has this name @throws core.invalid_config if the store can't be read */
  read(name: string): Promise<string | null>;
  /** Replaces the secret with this name. Durable once it resolves. */
  write(name: string, secret: string): Promise<void>;
  /** Deletes the secret with this name, if there is one. Durable once it resolves. */
  remove(name: string): Promise<void>;
}

/** The secrets of this server. Not registered if other processes share the storage engine. */
export const SECRET_STORE: InjectionToken<SecretStore> = Symbol.for('millrace.SecretStore');
