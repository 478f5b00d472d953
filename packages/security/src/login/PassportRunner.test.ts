import { describe, expect, it } from 'vitest';
import { authErrors, createRequest, Redirect, type AuthStrategy, type LoginAttempt } from '@millrace/kernel';
import { PassportRunner } from './PassportRunner.js';

const LIMIT_MS = 50;
const runner = new PassportRunner(LIMIT_MS);

interface Passporting {
  success(user: unknown): void;
  fail(challenge?: unknown, status?: number): void;
  redirect(url: string, status?: number): void;
  pass(): void;
  error(error: unknown): void;
}

/** A passport strategy with this behaviour. */
function strategy(act: (self: Passporting, request: { body: Record<string, unknown> }) => void): AuthStrategy {
  const authenticate = function (this: Passporting, request: never) {
    act(this, request);
  };
  return { name: 'odd', passport: { authenticate } };
}

function attempt(parameters: Record<string, string> = {}): LoginAttempt {
  const connection = { id: 'c', protocol: 'test', remoteAddress: '192.0.2.1' };
  const users = { credentialsOf: () => null, upgradeCredentials: async () => undefined };
  const identities = { find: () => null, findOrCreate: async () => 'nobody' };
  const request = createRequest({ body: parameters }, connection);
  return { parameters, request, headers: {}, users, identities };
}

async function end(odd: AuthStrategy, parameters?: Record<string, string>): Promise<unknown> {
  try {
    return await runner.run(odd, attempt(parameters));
  } catch (error) {
    const { id, status, message } = error as { id: string; status: number; message: string };
    return `${status} ${id}: ${message}`;
  }
}

describe('PassportRunner: a strategy of the passport library', () => {
  it.each([
    ['an object', { userId: 'ada' }],
    ['an identifier', 'ada'],
  ])('names the user by %s', async (_, user) => {
    expect(await end(strategy((self) => self.success(user)))).toEqual({ userId: 'ada' });
  });

  it.each([
    ['fails', (self: Passporting) => self.fail('no', 400)],
    ['fails without a reason', (self: Passporting) => self.fail()],
    ['passes', (self: Passporting) => self.pass()],
    ['succeeds without a user', (self: Passporting) => self.success(false)],
  ])('a strategy that %s means wrong credentials', async (_, act) => {
    expect(await end(strategy(act))).toBeNull();
  });

  it('a strategy that redirects gives a result with status 302', async () => {
    const outcome = await end(strategy((self) => self.redirect('https://provider.example/?a=1')));
    expect(outcome).toBeInstanceOf(Redirect);
    expect((outcome as Redirect).result).toEqual({
      headers: { 'Content-Length': '0', Location: 'https://provider.example/?a=1' },
      statusCode: 302,
    });
  });

  const FAILED = '500 core.plugin_failed: Plugin "odd" failed on this request';
  it.each([
    ['reports an error', (self: Passporting) => self.error(new Error('secret inside'))],
    ['reports no error object', (self: Passporting) => self.error('secret inside')],
    [
      'throws',
      () => {
        throw new Error('secret inside');
      },
    ],
    [
      'throws no error object',
      () => {
        throw 'secret inside' as unknown as Error;
      },
    ],
    ['names a user by a number', (self: Passporting) => self.success(7)],
    ['names a user without identifier', (self: Passporting) => self.success({ userId: '' })],
  ])('a strategy that %s fails that login alone and is named', async (_, act) => {
    expect(await end(strategy(act))).toBe(FAILED);
  });

  it('the error of a strategy that refuses with a registered one is quoted', async () => {
    const odd = strategy((self) => self.error(authErrors.wrong_credentials({})));
    expect(await end(odd)).toBe('401 auth.wrong_credentials: Wrong credentials');
  });

  it('a strategy that never ends is abandoned after the limit', async () => {
    expect(await end(strategy(() => undefined))).toBe(
      '504 core.plugin_timeout: Plugin "odd" did not answer within 50 ms',
    );
  });

  it('a strategy that ends twice counts with its first result', async () => {
    const twice = strategy((self) => {
      self.fail();
      self.success('ada');
    });
    expect(await end(twice)).toBeNull();
    const late = strategy((self) => {
      self.success('ada');
      setImmediate(() => self.error(new Error('late')));
    });
    expect(await end(late)).toEqual({ userId: 'ada' });
    await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('answers each of several logins at once by its own', async () => {
    const slow = strategy((self, { body }) => {
      setTimeout(() => self.success(body['name']), body['name'] === 'a' ? 20 : 5);
    });
    const ends = await Promise.all(['a', 'b', 'c'].map((name) => end(slow, { name })));
    expect(ends).toEqual(['a', 'b', 'c'].map((userId) => ({ userId })));
  });
});

describe('PassportRunner: a strategy with verify', () => {
  it.each([
    ['null', null, null],
    ['a user', { userId: 'ada' }, { userId: 'ada' }],
  ])('a verify that gives %s has that outcome', async (_, given, outcome) => {
    expect(await end({ name: 'odd', verify: async () => given })).toEqual(outcome);
  });

  it('a verify that throws, never ends or is none fails that login alone', async () => {
    const failed = '500 core.plugin_failed: Plugin "odd" failed on this request';
    const verify = () => {
      throw new TypeError('oops');
    };
    expect(await end({ name: 'odd', verify })).toBe(failed);
    expect(await end({ name: 'odd' })).toBe(failed);
    const never = { name: 'odd', verify: () => new Promise<null>(() => undefined) };
    expect(await end(never)).toMatch(/^504 core.plugin_timeout/);
  });
});
