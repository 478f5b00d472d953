import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { magicLink } from './magicLink.js';

interface Answer {
  readonly status: number;
  readonly result: { readonly _id: string; readonly jwt: string };
  readonly error: { readonly id: string; readonly message: string } | null;
}

let kernel: Kernel;
let dataDir: string;
let url: string;
const mails: { to: string; link: string }[] = [];

async function post(path: string, body: object): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

const ask = (email: unknown) => post('/_magicLink', { email });
const logIn = (ticket: unknown) => post('/_login', { strategy: 'magic-link', ticket });
const ticketIn = (mail: { link: string } | undefined) => new URL(mail?.link ?? '').searchParams.get('ticket');

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'magic-link-'));
  const send = async (mail: { to: string; link: string }) => {
    if (mail.to.startsWith('nobody')) throw new Error('no such mailbox');
    mails.push(mail);
  };
  kernel = new Kernel({
    config: { http: { port: 0 }, server: { dataDir } },
    plugins: [magicLink({ page: 'https://app.example.com/login?from=mail', send })],
    logger: silentLogger,
  });
  const [address] = await kernel.start();
  url = address?.url ?? '';
});

afterAll(async () => {
  await kernel?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe('login by a link in a mail', () => {
  it('sends a link that logs in once', async () => {
    expect((await ask('Ada@example.com')).result).toEqual({ sent: true });
    const [mail] = mails.splice(0);
    expect(mail?.to).toBe('ada@example.com');
    expect(mail?.link).toMatch(/^https:\/\/app\.example\.com\/login\?from=mail&ticket=/);
    const { status, result } = await logIn(ticketIn(mail));
    expect(status).toBe(200);
    expect(result.jwt).toMatch(/^ey/);
    expect((await logIn(ticketIn(mail))).error?.id).toBe('auth.wrong_credentials');
  });

  it('sends an address another link after a minute, for the same user', async () => {
    await ask('bob@example.com');
    const first = await logIn(ticketIn(mails.pop()));
    expect((await ask('BOB@example.com')).error?.id).toBe('magicLink.too_soon');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    expect((await ask('BOB@example.com')).status).toBe(200);
    vi.useRealTimers();
    const second = await logIn(ticketIn(mails.pop()));
    expect(second.result._id).toBe(first.result._id);
  });

  it.each([undefined, 5, '', 'ada', 'ada@', 'a b@example.com', '<ada>@example.com', 'a@b@c'])(
    'refuses %j as an address',
    async (email) => {
      const { status, error } = await ask(email);
      expect(status).toBe(400);
      expect(error?.message).toMatch(/email/);
      expect(mails).toEqual([]);
    },
  );

  it.each([undefined, 5, '', 'x', null, ['ticket'], 'a'.repeat(10_000)])('takes no %j for a ticket', async (ticket) => {
    expect((await logIn(ticket)).error?.id).toBe('auth.wrong_credentials');
  });

  it('says nothing of a mail that could not be sent', async () => {
    expect((await ask('nobody@example.com')).result).toEqual({ sent: true });
  });
});
