import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject, Logger } from '@millrace/kernel';
import { startSecured, type SecuredServer } from './securedServer.js';

const LONG = 'l'.repeat(1_000_000);
const MAX_LINE_CHARACTERS = 4_096;
const REFUSALS = 5_000;
const MAX_LINES = 1_000;

describe('refused requests fill no log', () => {
  const lines: string[] = [];
  let server: SecuredServer;
  const keep = (fields: object, message: string) => {
    const plain = (_: string, value: unknown) =>
      value instanceof Error ? { message: value.message, stack: value.stack } : value;
    lines.push(JSON.stringify({ ...fields, message }, plain));
  };
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep, child: () => logger };

  beforeAll(async () => {
    const many = { maxFailuresPerAccount: 100_000, maxFailuresPerAddress: 100_000 };
    server = await startSecured({ security: { login: many } }, { logger });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    lines.length = 0;
  });

  const GET: JsonObject = { controller: 'document', action: 'get', index: 'i', collection: 'c', _id: 'd' };
  const LOGIN: JsonObject = { controller: 'auth', action: 'login' };

  it.each([
    ['index', { ...GET, index: LONG }],
    ['collection', { ...GET, collection: LONG }],
    ['_id', { ...GET, _id: LONG }],
    ['controller', { ...GET, controller: LONG }],
    ['action', { ...GET, action: LONG }],
    ['requestId', { ...GET, requestId: LONG }],
    ['jwt', { ...GET, jwt: LONG }],
    ['username', { ...LOGIN, body: { username: LONG, password: 'not-the-right-one' } }],
    ['strategy', { ...LOGIN, strategy: LONG, body: { username: 'a', password: 'b' } }],
  ] as [string, JsonObject][])('a line about a long %s is short', async (_, fields) => {
    const { status } = await server.message(fields);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(Math.max(0, ...lines.map(({ length }) => length))).toBeLessThan(MAX_LINE_CHARACTERS);
  });

  it('refusals of one client are logged, and not each of thousands', async () => {
    for (let n = 0; n < REFUSALS; n++) {
      expect((await server.message({ ...GET, _id: `d${n}` })).status).toBe(401);
    }
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(MAX_LINES);
    expect(lines.some((line) => line.includes('denied'))).toBe(true);
  });

  it('how many refusals were left out is logged', async () => {
    for (let n = 0; n < REFUSALS; n++) await server.message({ ...GET, index: `i${n}` });
    const counted = () => lines.some((line) => /suppressed|omitted|skipped/i.test(line));
    await expect.poll(counted).toBe(true);
  });
});
