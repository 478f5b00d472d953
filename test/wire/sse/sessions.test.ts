import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { silentLogger, type Logger } from '@millrace/kernel';
import { sse } from '@millrace/protocol-sse';
import { startKernel, type StartedKernel } from '../../startKernel.js';
import { EventReader } from '../clients/EventReader.js';

const PASSWORD = 'a long password';

const warnings: unknown[] = [];
const logger: Logger = {
  ...silentLogger,
  warn: (_fields: object, message?: string) => void warnings.push(message),
  child: () => logger,
};

describe('streams of users', () => {
  let server: StartedKernel;
  let base: string;
  let url: string;
  let jwt: string;

  const login = async (): Promise<string> => {
    const { body } = await server.ask('POST', '/_login', { username: 'ada', password: PASSWORD });
    return (body.result as { readonly jwt: string }).jwt;
  };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const createTicket = async (token: string, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { ...bearer(token), ...headers } };
    const response = await fetch(`${base}/_ticket`, init);
    const { result } = (await response.json()) as { readonly result: { readonly ticket: string } };
    return result.ticket;
  };
  const statusOf = async (query: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}?${query}`, {
      headers: { Accept: 'text/event-stream', ...headers },
    });
    const { error } = (await response.json()) as { readonly error: { readonly id: string } };
    return `${response.status} ${error.id}`;
  };
  const put = async (id: string, body: object) => {
    const { status } = await server.ask('PUT', `/city/stations/${id}`, body, bearer(jwt));
    expect(status).toBe(200);
  };

  beforeAll(async () => {
    const plugins = [localAuth(), sse({ maxStreamMs: 3_000, maxWaitingBytes: 262_144 })];
    server = await startKernel({ plugins, logger });
    const addresses = await server.kernel.start();
    base = addresses.find(({ protocol }) => protocol === 'http')?.url ?? '';
    url = `${base}/city/stations/_subscribe`;
    await server.ask('POST', '/_createFirstAdmin', { _id: 'ada', password: PASSWORD });
    jwt = await login();
  });
  afterAll(() => server.close());

  it('need the right, and end when the token ends (SSE-2)', async () => {
    expect(await statusOf('')).toBe('401 auth.login_needed');
    const own = await login();
    const reader = await EventReader.open(url, { headers: bearer(own) });
    await reader.until('subscribed');
    await server.ask('GET', '/_logout', undefined, bearer(own));
    await reader.until('subscriptionEnded');
    await reader.ended;
    expect(reader.hasEnded).toBe(true);
  });

  it('begin with a ticket, once (SSE-20, SSE-21)', async () => {
    const ticket = await createTicket(jwt);
    expect(ticket).not.toContain(jwt);
    const reader = await EventReader.open(`${url}?ticket=${ticket}`);
    await reader.until('subscribed');
    reader.close();
    expect(await statusOf(`ticket=${ticket}`)).toBe('401 sse.invalid_ticket');
    expect(await statusOf('ticket=nonsense')).toBe('401 sse.invalid_ticket');
    const anonymous = await fetch(`${base}/_ticket`, { method: 'POST' });
    expect(anonymous.status).toBe(401);
  });

  it('answer 400 to a ticket for an Origin that is too long (SSE-22)', async () => {
    // Each quotation mark takes two characters in a ticket.
    for (const [length, status] of [
      [512, 200],
      [513, 400],
      [14_000, 400],
    ] as const) {
      const headers = { ...bearer(jwt), Origin: '"'.repeat(length) };
      const response = await fetch(`${base}/_ticket`, { method: 'POST', headers });
      const { error } = (await response.json()) as {
        readonly error: { readonly message: string } | null;
      };
      expect([length, response.status]).toEqual([length, status]);
      if (status === 400) expect(error?.message).toMatch(/Origin.*at most 512 characters/);
    }
  });

  it('depend on the token of their ticket (SSE-21)', async () => {
    const own = await login();
    const reader = await EventReader.open(`${url}?ticket=${await createTicket(own)}`);
    await reader.until('subscribed');
    const late = await createTicket(own);
    await server.ask('GET', '/_logout', undefined, bearer(own));
    await reader.until('subscriptionEnded');
    expect(await statusOf(`ticket=${late}`)).toMatch(/^401 auth\./);
  });

  it('refuse a ticket of another origin (SSE-22)', async () => {
    const Origin = 'https://shop.example';
    const foreign = await createTicket(jwt, { Origin });
    expect(await statusOf(`ticket=${foreign}`, { Origin: 'https://evil.example' })).toBe('401 sse.invalid_ticket');
    const reader = await EventReader.open(`${url}?ticket=${await createTicket(jwt, { Origin })}`, {
      headers: { Origin },
    });
    await reader.until('subscribed');
    reader.close();
  });

  it('end after their time, and resume with nothing lost (SSE-10)', async () => {
    const first = await EventReader.open(url, { headers: bearer(jwt) });
    await first.until('subscribed');
    await first.ended;
    expect(first.retryMs).toBeGreaterThanOrEqual(500);
    expect(first.retryMs).toBeLessThanOrEqual(1_000);
    await put('between', { n: 1 });
    const headers = { ...bearer(jwt), 'Last-Event-ID': first.lastId };
    const second = await EventReader.open(url, { headers });
    const [missed] = await second.until('message');
    expect(missed).toMatchObject({ replayed: true, result: { _id: 'between' } });
    second.close();
  });

  it('are cut off when the client does not read, and leave nothing (SSE-9)', async () => {
    const answer = await new Promise<IncomingMessage>((resolve) => {
      httpRequest(url, { headers: { ...bearer(jwt), Accept: 'text/event-stream' } }, resolve).end();
    });
    answer.on('error', () => undefined);
    const rooms = async () => {
      const { body } = await server.ask('GET', '/_listSubscriptions', undefined, bearer(jwt));
      return Object.keys(body.result).length;
    };
    for (let n = 0; (await rooms()) > 0; n++) await put(`d${n}`, { text: 'x'.repeat(500_000) });
    expect(warnings).toContain('slow consumer closed');
    answer.destroy();
  });

  it('end with different times for their clients when the server stops (SSE-10)', async () => {
    const readers = await Promise.all([1, 2, 3].map(() => EventReader.open(url, { headers: bearer(jwt) })));
    await Promise.all(readers.map((reader) => reader.until('subscribed')));
    await server.kernel.stop();
    await Promise.all(readers.map((reader) => reader.ended));
    const retries = readers.map(({ retryMs = 0 }) => retryMs).sort((a, b) => a - b);
    expect(new Set(retries).size).toBe(3);
    // EventSource keeps it while no server answers.
    expect(retries[0]).toBeGreaterThanOrEqual(500);
    expect(retries.at(-1)).toBeLessThanOrEqual(5_000);
  });
});
