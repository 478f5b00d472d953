import type { JsonObject, Plugin, ResponseMessage } from '@millrace/kernel';
import { startTestKernel, type TestKernel } from '../kernel/startTestKernel.js';
import { expect } from '../runner/expect.js';
import type { TestRunner } from '../runner/TestRunner.js';
import { CollectingLogger } from './CollectingLogger.js';

/** A strategy under test. */
export interface StrategyUnderTest {
  /** Name of the strategy, as clients send it at a login. */
  readonly name: string;
  /** The plugins that provide the strategy. Created for each test. */
  readonly plugins: () => readonly Plugin[];
  readonly config?: JsonObject;
  /** Creates the data that the strategy needs, such as a user. @returns the logins to test */
  prepare(server: TestKernel): Promise<StrategyLogins>;
}

/** Logins of a strategy. */
export interface StrategyLogins {
  /** The user that `right` logs in. */
  readonly userId: string;
  /** A function where a login works once, such as by a ticket: it is called for each login. */
  readonly right: JsonObject | (() => Promise<JsonObject>);
  /** Each must get the same response as the others: 401, or 400 if the form is wrong. */
  readonly wrong: readonly JsonObject[];
  /** Strings that no response and no log line may contain, such as the password. */
  readonly secrets?: readonly string[];
}

const LIMITS = { maxFailuresPerAccount: 10_000, maxFailuresPerAddress: 10_000 };
const ODD_VALUES = [null, 7, true, '', [], {}, ['x'], { $ne: null }, 'x'.repeat(100_000), '\u0000', '"'];

/**
 * The contract of `AuthStrategy` as tests, on a real server: every strategy, ours or a plugin's, runs it.
 * @param runner `import * as runner from 'vitest'`, or from `'node:test'`
 */
export function describeAuthStrategy(strategy: StrategyUnderTest, runner: TestRunner): void {
  const { describe, it, beforeEach, afterEach } = runner;
  describe(`${strategy.name} as an AuthStrategy`, () => {
    let server: TestKernel;
    let logins: StrategyLogins;
    let log: CollectingLogger;
    beforeEach(async () => {
      log = new CollectingLogger();
      const config = { ...strategy.config, security: { login: LIMITS } };
      server = await startTestKernel({ plugins: strategy.plugins(), config, logger: log });
      logins = await strategy.prepare(server);
    });
    afterEach(() => server.close());

    const logIn = (parameters: JsonObject): Promise<ResponseMessage> =>
      server.kernel.execute({
        controller: 'auth',
        action: 'login',
        strategy: strategy.name,
        body: parameters,
      });
    const right = async () => (typeof logins.right === 'function' ? logins.right() : logins.right);
    const tokenOf = ({ result }: ResponseMessage) => (result as { jwt?: unknown } | null)?.jwt;

    it('is among the strategies of the server', async () => {
      const { result } = await server.kernel.execute({
        controller: 'auth',
        action: 'getStrategies',
      });
      expect(JSON.stringify(result)).toContain(JSON.stringify(strategy.name));
    });

    it('logs its user in: the token is good for the next request', async () => {
      const message = await logIn(await right());
      expect(message).toMatchObject({ status: 200, error: null, result: { _id: logins.userId } });
      const authorization = `Bearer ${String(tokenOf(message))}`;
      const { body } = await server.ask('GET', '/users/_me', undefined, { authorization });
      expect(body).toMatchObject({ status: 200, result: { _id: logins.userId } });
    });

    it('refuses all others, and does not say why', async () => {
      const answers = new Set<string>();
      for (const parameters of logins.wrong) {
        const { status, error, result } = await logIn(parameters);
        expect([400, 401].includes(status), JSON.stringify(parameters)).toBe(true);
        expect(result).toBeNull();
        if (status === 401) answers.add(JSON.stringify([error?.id, error?.message]));
      }
      expect([...answers]).toHaveLength(answers.size === 0 ? 0 : 1);
    });

    it('withstands parameters of any kind: no failure, no login', async () => {
      const given = await right();
      const names = Object.keys(given);
      const odd: JsonObject[] = [{}, { other: 1 }, JSON.parse('{"__proto__": {"admin": true}}') as JsonObject];
      for (const name of names) for (const value of ODD_VALUES) odd.push({ ...given, [name]: value });
      for (const name of names) {
        const { [name]: _, ...rest } = given;
        if (names.length > 1) odd.push(rest);
      }
      for (const parameters of odd) {
        const message = await logIn(parameters);
        const what = JSON.stringify(parameters).slice(0, 200);
        expect(message.status < 500, `${what} is answered ${message.status}`).toBe(true);
        if (message.status === 200) expect(message.result, what).toMatchObject({ _id: logins.userId });
      }
      expect((await logIn(await right())).status).toBe(200);
    });

    it('serves many logins at once, each for itself', async () => {
      const [wrong = {}] = logins.wrong;
      const parameters = await Promise.all(
        Array.from({ length: 12 }, async (_, at) => (at % 2 === 0 ? right() : wrong)),
      );
      const all = await Promise.all(parameters.map(logIn));
      expect(all.map(({ status }) => status === 200)).toEqual(all.map((_, at) => at % 2 === 0));
    });

    it('shows no secret: not in an answer, not in the log', async () => {
      const answers = [];
      for (const parameters of [await right(), ...logins.wrong]) answers.push(await logIn(parameters));
      const said = JSON.stringify(answers) + log.lines.join('\n');
      for (const secret of logins.secrets ?? []) expect(said.includes(secret), 'a secret was shown').toBe(false);
    });
  });
}
