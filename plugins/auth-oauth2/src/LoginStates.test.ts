import { describe, expect, it } from 'vitest';
import { createRequest, MemoryExpiringStore, type JsonObject } from '@millrace/kernel';
import { LoginStates } from './LoginStates.js';

const CALLBACK = 'https://app.example/_login/a';
const LOGIN = { verifier: 'v', nonce: 'n' };

function open(maxEntries = 100) {
  const time = { ms: 0 };
  const clock = { nowMs: () => time.ms, monotonicMs: () => time.ms };
  const store = new MemoryExpiringStore(clock, maxEntries);
  const newNode = () => {
    const connections = new MemoryExpiringStore(clock, 100);
    return new LoginStates({ store, connections, lifeMs: 600_000 });
  };
  return { time, newNode, states: newNode() };
}

function attempt(parameters: JsonObject, connectionId = 'c', protocol = 'websocket', cookie?: string) {
  const connection = { id: connectionId, protocol, remoteAddress: '' };
  const headers = cookie === undefined ? {} : { headers: { cookie } };
  return { parameters, request: createRequest({ body: parameters, ...headers }, connection) } as never;
} // prettier-ignore

async function outcome(taken: Promise<unknown>): Promise<unknown> {
  return taken.catch((error: unknown) => (error as { id: string }).id);
}

const REFUSED = 'auth.login_state_refused';
const requestOf = (given: never) => (given as { request: never }).request;

describe('LoginStates', () => {
  it('ends after ten minutes', async () => {
    const { states, time } = open();
    await states.begin('a', requestOf(attempt({})), LOGIN);
    time.ms = 600_000;
    expect(await outcome(states.take('a', attempt({}), CALLBACK))).toBe(REFUSED);
  });

  it('gives a login to one of many that come at once', async () => {
    const { states } = open();
    const { state, secret: stateSecret } = await states.begin('a', requestOf(attempt({})), LOGIN);
    const sent = attempt({ state, stateSecret }, 'other');
    const all = await Promise.all(
      Array.from({ length: 10 }, () => outcome(states.take('a', sent, CALLBACK))),
    );
    expect(all.filter((each) => each !== REFUSED)).toEqual([LOGIN]);
  });

  it('survives attempts of strangers, who know the state alone', async () => {
    const { states } = open();
    const { state } = await states.begin('a', requestOf(attempt({})), LOGIN);
    for (const stateSecret of ['x', 'x'.repeat(43)]) {
      const foreign = attempt({ state, stateSecret }, 'other');
      expect(await outcome(states.take('a', foreign, CALLBACK))).toBe(REFUSED);
    }
    expect(await outcome(states.take('a', attempt({}), CALLBACK))).toEqual(LOGIN);
  });

  it('lets a login end on another node by state and secret, and not by the number of a connection there', async () => {
    const { states, newNode } = open();
    const { state, secret: stateSecret } = await states.begin('a', requestOf(attempt({})), LOGIN);
    const other = newNode();
    expect(await outcome(other.take('a', attempt({ state }), CALLBACK))).toBe(REFUSED);
    expect(await outcome(other.take('a', attempt({ state, stateSecret }), CALLBACK))).toEqual(LOGIN);
  }); // prettier-ignore

  it('takes a cookie over HTTP alone, under the name that https protects', async () => {
    const { states } = open();
    const begun = await states.begin('a', requestOf(attempt({}, 'h', 'http')), LOGIN);
    const { name, value, isSecure } = states.cookie(begun, CALLBACK);
    expect([name.startsWith('__Host-'), isSecure]).toEqual([true, true]);
    const { state } = begun;
    const cookies = `other=1; ${name}=${value}; more=2`;
    const take = (protocol: string, cookie: string) =>
      outcome(states.take('a', attempt({ state }, 'x', protocol, cookie), CALLBACK));
    expect(await take('websocket', cookies)).toBe(REFUSED);
    expect(await take('http', cookies.replace('__Host-', ''))).toBe(REFUSED);
    expect(await take('http', '')).toBe(REFUSED);
    expect(await take('http', cookies)).toEqual(LOGIN);
  });

  it('knows the latest of several logins on a connection, and earlier ones by their state', async () => {
    const { states } = open();
    const begin = (verifier: string) =>
      states.begin('a', requestOf(attempt({})), { verifier, nonce: '' });
    const first = await begin('1');
    await begin('2');
    expect(await outcome(states.take('a', attempt({}), CALLBACK))).toMatchObject({ verifier: '2' });
    const { state } = first;
    expect(await outcome(states.take('a', attempt({ state }), CALLBACK))).toMatchObject({ verifier: '1' });
  }); // prettier-ignore

  it('forgets the oldest of too many', async () => {
    const { states } = open(10);
    const first = await states.begin('a', requestOf(attempt({}, 'first')), LOGIN);
    for (let i = 0; i < 10; i++) await states.begin('a', requestOf(attempt({}, 'flood')), LOGIN);
    const { state } = first;
    expect(await outcome(states.take('a', attempt({ state }, 'first'), CALLBACK))).toBe(REFUSED);
    expect(await outcome(states.take('a', attempt({}, 'flood'), CALLBACK))).toEqual(LOGIN);
  });
});
