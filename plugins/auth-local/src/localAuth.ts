import { availableParallelism } from 'node:os';
import {
  defineLibrary,
  definePlugin,
  type AuthStrategy,
  type JsonObject,
  type Plugin,
  type PluginHost,
} from '@millrace/kernel';
import { withDefaults } from '@millrace/plugin-kit';
import { COMMON_PASSWORDS } from './COMMON_PASSWORDS.js';
import { localConfig, type LocalAuthOptions, type LocalConfig } from './config.js';
import { localErrors } from './errors.js';
import { chooseHashers } from './hashing/chooseHashers.js';
import { WorkQueue } from './hashing/WorkQueue.js';
import { PasswordChecker } from './PasswordChecker.js';
import { readText } from './readText.js';

/** Longest account name used as a key of limits: longer ones belong to no user and would only fill memory. */
const MAX_ACCOUNT_LENGTH = 512;

const PASSPORT_LOCAL = defineLibrary('passport-local', () => import('./LocalStrategy.js'));

/**
 * Login by user name and password: strategy `local` on passport-local. The user name is the user's `_id`; passwords
 * are stored as argon2id or scrypt hashes (SEC-61). Costs and rules are in section `local` of the configuration.
 * @param options defaults for keys of that section; file, environment and flags override them
 */
export function localAuth(options: LocalAuthOptions = {}): Plugin {
  return definePlugin({
    name: 'auth-local',
    kernel: '^0.1.0',
    config: { local: withDefaults(localConfig, options, 'localAuth') },
    libraries: [PASSPORT_LOCAL],
    setup: async (host) => host.strategy(await createLocalStrategy(host)),
  });
}

async function createLocalStrategy(host: PluginHost): Promise<AuthStrategy> {
  const config = host.config['local'] as unknown as LocalConfig;
  const { maxWaiting, maxWaitMs } = config.hashing;
  const concurrency = config.hashing.concurrency || Math.min(3, availableParallelism());
  const queue = new WorkQueue({ concurrency, maxWaiting, maxWaitMs });
  const loadHashers = () => chooseHashers(config, host.log);
  // Without it the server must not start.
  if (config.algorithm === 'argon2id') await loadHashers();
  const checker = new PasswordChecker(loadHashers, queue, host.log);
  return {
    name: 'local',
    passport: async () => {
      const { LocalStrategy } = await PASSPORT_LOCAL.load();
      return new LocalStrategy(checker, config.password.maxLength);
    },
    accountOf,
    credentials: {
      userProperty: 'password',
      prepare: (given: JsonObject, user, signal) =>
        checker.prepare(checkPassword(passwordOf(given), user._id, config.password), signal),
      matches: async (given: JsonObject, stored, signal) => {
        const password = readText('password', passwordOf(given));
        const isPossible = Buffer.byteLength(password) <= config.password.maxLength;
        return isPossible && checker.matches(stored, password, signal);
      },
    },
  };
}

function passwordOf(given: JsonObject): unknown {
  return Object.hasOwn(given, 'password') ? given['password'] : undefined;
}

function accountOf(parameters: JsonObject): string | null {
  const username = Object.hasOwn(parameters, 'username') ? parameters['username'] : undefined;
  const isPossible = typeof username === 'string' && username !== '' && username.length <= MAX_ACCOUNT_LENGTH;
  return isPossible ? username : null;
}

/**
 * Validates a new password.
 * @returns the password as sent
 * @throws auth.credentials_malformed, auth.password_refused (400)
 */
function checkPassword(value: unknown, userId: string, rules: LocalConfig['password']): string {
  const password = readText('password', value);
  const refuse = (problem: string) => localErrors.password_refused({ problem });
  // Length in bytes first: it bounds the work of the other checks.
  if (Buffer.byteLength(password) > rules.maxLength) {
    throw refuse(`expected at most ${rules.maxLength} bytes`);
  }
  // Code points, not UTF-16 units: a character outside the BMP must not count twice.
  if ([...password.normalize('NFC')].length < rules.minLength) {
    throw refuse(`expected at least ${rules.minLength} characters`);
  }
  if (rules.forbidUsername && password.toLowerCase() === userId.toLowerCase()) {
    throw refuse("expected another string than the user's identifier");
  }
  if (COMMON_PASSWORDS.has(password.toLowerCase())) {
    throw refuse('it is one of the most common passwords: expected one that is harder to guess');
  }
  return password;
}
