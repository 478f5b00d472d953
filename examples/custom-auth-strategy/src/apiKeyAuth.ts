import { createHash, timingSafeEqual } from 'node:crypto';
import {
  definePlugin,
  type AuthStrategy,
  type JsonObject,
  type LoginAttempt,
  type Plugin,
} from '@millrace/kernel';
import { apiKeyErrors } from './errors.js';

const KEY = /^[\w-]{32,256}$/;

/**
 * Login by an API key, for programs: strategy `api-key`. A user who is logged in takes a key (`createMyCredentials`, 32
 * or more random characters), and a program logs in with the user's name and the key, for as long as the user keeps it.
 */
export function apiKeyAuth(): Plugin {
  return definePlugin({
    name: 'example-api-key',
    kernel: '^0.1.0',
    setup: (host) => host.strategy(strategy),
  });
}

const strategy: AuthStrategy = {
  name: 'api-key',
  // Null means wrong, whatever is wrong: an answer must not tell who has a key.
  verify: async ({ user, key }, { users }: LoginAttempt) => {
    if (typeof user !== 'string' || typeof key !== 'string') return null;
    const kept = await users.credentialsOf(user);
    return isKey(key, kept?.['digest']) ? { userId: user } : null;
  },
  // Failed logins are counted by this name and the address.
  accountOf: ({ user }) => (typeof user === 'string' && user.length <= 512 ? user : null),
  credentials: {
    // What is kept for a user: never the key. It is random and long, so a fast hash is enough.
    prepare: ({ key }: JsonObject) => {
      if (typeof key === 'string' && KEY.test(key)) return { digest: digestOf(key) };
      throw apiKeyErrors.refused({
        problem: 'expected 32 to 256 letters, digits, "_" or "-", made at random',
      });
    },
  },
};

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

function isKey(key: string, digest: unknown): boolean {
  // An unknown user costs the same work.
  const kept = Buffer.from(typeof digest === 'string' ? digest : digestOf(''));
  return timingSafeEqual(Buffer.from(digestOf(key)), kept) && typeof digest === 'string';
}
