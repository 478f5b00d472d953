import { Strategy } from 'passport-local';
import type { LoginAttempt, PassportRequest } from '@millrace/kernel';
import { localErrors } from './errors.js';
import type { PasswordChecker } from './PasswordChecker.js';
import { readText } from './readText.js';

/**
 * passport-local with validation in front: passport-local itself accepts any truthy value as user name, and also
 * reads both fields from the query string, where a password would end up in proxy logs.
 */
export class LocalStrategy extends Strategy {
  /** @param maxPasswordBytes a longer password can't be valid, and is refused before any expensive work */
  constructor(
    checker: PasswordChecker,
    private readonly maxPasswordBytes: number,
  ) {
    super({ passReqToCallback: true }, (request, username, password, done) => {
      const { attempt } = request as unknown as PassportRequest;
      void checker
        .check(attempt.users, username, password, attempt.request.signal)
        .then((isRight) => done(null, isRight ? { userId: username } : false))
        .catch(done);
    });
  }

  override authenticate(request: never, options?: object): void {
    const sent: PassportRequest = request;
    let credentials;
    try {
      credentials = readCredentials(sent.attempt, this.maxPasswordBytes);
    } catch (error) {
      this.error(error as Error);
      return;
    }
    super.authenticate({ ...sent, query: {}, body: credentials } as never, options);
  }
}

function readCredentials(
  { parameters, request }: LoginAttempt,
  maxPasswordBytes: number,
): { readonly username: string; readonly password: string } {
  const own = (field: string) => (Object.hasOwn(parameters, field) ? parameters[field] : undefined);
  const username = readText('username', own('username'));
  const password = readText('password', own('password'));
  const fail = (problem: string) => localErrors.credentials_malformed({ field: 'password', problem });
  if (!Object.hasOwn(request.body ?? {}, 'password')) {
    throw fail('expected in the body, not in the address');
  }
  if (Buffer.byteLength(password) > maxPasswordBytes) {
    throw fail(`expected at most ${maxPasswordBytes} bytes`);
  }
  return { username, password };
}
