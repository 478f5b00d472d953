import { beforeEach, describe, expect, it } from 'vitest';
import { createRequest, SealedTickets, type Connection, type JsonObject } from '@millrace/kernel';
import { LoginStates } from './LoginStates.js';

const CALLBACK = 'https://app.example/_login/a';
const LOGIN = { verifier: 'v', nonce: 'n' };

let connections: Map<string, Connection>;
beforeEach(() => void (connections = new Map()));

function open() {
  const time = { ms: 0 };
  const clock = { nowMs: () => time.ms, monotonicMs: () => time.ms };
  const tickets = new SealedTickets(clock);
  const newNode = () => new LoginStates(tickets, 600_000);
  return { time, newNode, states: newNode() };
}

function attempt(parameters: JsonObject, connectionId = 'c', protocol = 'websocket', cookie?: string) {
  const key = `${protocol} ${connectionId}`;
  const connection = connections.get(key) ?? { id: connectionId, protocol, remoteAddress: '' };
  connections.set(key, connection);
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
    states.begin('a', requestOf(attempt({})), LOGIN);
    time.ms = 600_000;
    expect(await outcome(states.take('a', attempt({}), CALLBACK))).toBe(REFUSED);
  });

  it('gives a login to one of many that come at once', async () => {
    const { states } = open();
    const { state, secret: stateSecret } = states.begin('a', requestOf(attempt({})), LOGIN);
    const sent = attempt({ state, stateSecret }, 'other');
    const all = await Promise.all(Array.from({ length: 10 }, () => outcome(states.take('a', sent, CALLBACK))));
    expect(all.filter((each) => each !== REFUSED)).toEqual([LOGIN]);
  });

  it('survives attempts of strangers, who know the state alone', async () => {
    const { states } = open();
    const { state } = states.begin('a', requestOf(attempt({})), LOGIN);
    for (const stateSecret of ['x', 'x'.repeat(43)]) {
      const foreign = attempt({ state, stateSecret }, 'other');
      expect(await outcome(states.take('a', foreign, CALLBACK))).toBe(REFUSED);
    }
    expect(await outcome(states.take('a', attempt({}), CALLBACK))).toEqual(LOGIN);
  });

  it('lets a login end on another node by state and secret, and not by the number of a connection there', async () => {
    const { states, newNode } = open();
    const { state, secret: stateSecret } = states.begin('a', requestOf(attempt({})), LOGIN);
    const other = newNode();
    expect(await outcome(other.take('a', attempt({ state }), CALLBACK))).toBe(REFUSED);
    expect(await outcome(other.take('a', attempt({ state, stateSecret }), CALLBACK))).toEqual(LOGIN);
  });

  it('takes a cookie over HTTP alone, under the name that https protects', async () => {
    const { states } = open();
    const begun = states.begin('a', requestOf(attempt({}, 'h', 'http')), LOGIN);
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
    const begin = (verifier: string) => states.begin('a', requestOf(attempt({})), { verifier, nonce: '' });
    const first = begin('1');
    begin('2');
    expect(await outcome(states.take('a', attempt({}), CALLBACK))).toMatchObject({ verifier: '2' });
    const { state } = first;
    expect(await outcome(states.take('a', attempt({ state }), CALLBACK))).toMatchObject({
      verifier: '1',
    });
  });

  it('keeps a login that began before a flood of others, on its connection or elsewhere', async () => {
    const { states } = open();
    const first = states.begin('a', requestOf(attempt({}, 'first')), LOGIN);
    const { state, secret: stateSecret } = states.begin('a', requestOf(attempt({}, 'x', 'http')), LOGIN);
    for (let i = 0; i < 20_100; i++) states.begin('a', requestOf(attempt({}, 'flood')), LOGIN);
    const taken = [
      attempt({ state: first.state }, 'first'),
      attempt({ state, stateSecret }, 'y', 'http'),
      attempt({}, 'flood'),
    ];
    for (const each of taken) expect(await outcome(states.take('a', each, CALLBACK))).toEqual(LOGIN);
  });

  it('remembers the last eight logins of a connection; older ones need their secret', async () => {
    const { states } = open();
    const begun = Array.from({ length: 9 }, () => states.begin('a', requestOf(attempt({})), LOGIN));
    const [first, second] = begun;
    const { state, secret: stateSecret } = first ?? { state: '', secret: '' };
    expect(await outcome(states.take('a', attempt({ state }), CALLBACK))).toBe(REFUSED);
    expect(await outcome(states.take('a', attempt({ state, stateSecret }), CALLBACK))).toEqual(LOGIN);
    expect(await outcome(states.take('a', attempt({ state: second?.state ?? '' }), CALLBACK))).toEqual(LOGIN);
  });
});
