/*
 * Login by SAML against a real identity provider, and the attacks on it (SEC-66).
 */
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, ResponseMessage } from '@millrace/kernel';
import { samlAuth } from '@millrace/auth-saml';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { websocket } from '@millrace/protocol-websocket';
import { freePort } from '../memory/startRedis.js';
import { CONNECT } from './connectClients.js';
import { PROVIDER_CERTIFICATE } from './identityProviderKeys.js';
import {
  openIdentityProvider,
  type AnswerParts,
  type Signing,
  type TestIdentityProvider,
} from './openIdentityProvider.js';
import { openServer, type LoginServer } from './openServer.js';
import { TestBrowser } from './TestBrowser.js';
import { WRAPS } from './wrapSignature.js';

let server: LoginServer;
let provider: TestIdentityProvider;

beforeAll(async () => {
  const port = await freePort();
  provider = await openIdentityProvider(await freePort());
  const { entryPoint, entityId: idpIssuer } = provider;
  const common = { entryPoint, idpIssuer, idpCert: PROVIDER_CERTIFICATE };
  const config = {
    saml: {
      publicURL: `http://127.0.0.1:${port}`,
      providers: {
        strict: { ...common, createUser: true, attributeMap: { fullName: 'displayName', groups: 'groups' } },
        lenient: { ...common, createUser: true, wantResponseSigned: false },
        closed: { ...common, users: { bob: 'root' } },
      },
    },
    websocket: { port: 0 },
    fallback: { port: 0 },
    mqtt: { port: 0 },
  };
  server = await openServer({ port, plugins: [samlAuth(), websocket(), fallback(), mqtt()], config });
  for (const strategy of ['strict', 'lenient', 'closed']) {
    provider.learn((await server.ask('GET', `/_saml/${strategy}/metadata`)).text);
  }
});

afterAll(async () => {
  await server?.close();
  await provider?.close();
});

/** Step one. */
async function begin(strategy: string) {
  const answer = await fetch(`${server.url}/_login/${strategy}`, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  return provider.parse(answer.headers.get('location') ?? '');
}

/** Sends XML as a browser's form does. */
async function post(strategy: string, xml: string): Promise<ResponseMessage> {
  return postText(strategy, Buffer.from(xml).toString('base64'));
}

async function postText(strategy: string, SAMLResponse: string): Promise<ResponseMessage> {
  const body = new URLSearchParams({ SAMLResponse });
  const answer = await fetch(`${server.url}/_login/${strategy}`, { method: 'POST', body });
  return (await answer.json()) as ResponseMessage;
}

async function answered(strategy: string, parts: AnswerParts = {}, signing: Signing = {}) {
  const request = await begin(strategy);
  return post(strategy, await provider.answer(request, parts, signing));
}

const idOf = ({ status, error }: ResponseMessage) => `${status} ${error?.id ?? 'no error'}`;
const userCount = async () => (await server.asAdmin('POST', '/users/_search', {}))['total'];

describe('SAML in a browser', () => {
  it('step one is a redirection to the entry point with a request, and nothing of it comes from the client', async () => {
    const evil = 'https://evil.example/';
    const path = `/_login/strict?RelayState=${encodeURIComponent(evil)}&AssertionConsumerServiceURL=${encodeURIComponent(evil)}`;
    const answer = await server.ask('GET', '/_login/strict');
    expect(answer.status).toBe(200);
    const first = await fetch(`${server.url}${path}`, {
      redirect: 'manual',
      headers: { 'x-forwarded-host': 'evil.example' },
    });
    const body = (await first.json()) as ResponseMessage;
    expect(body).toMatchObject({
      status: 302,
      error: null,
      result: { statusCode: 302, headers: { 'Content-Length': '0' } },
    });
    const location = new URL(first.headers.get('location') ?? '');
    expect(location.href.startsWith(`${provider.entryPoint}&`)).toBe(true);
    expect(location.searchParams.get('RelayState') ?? '').toBe('');
    const request = await provider.parse(location.href);
    expect(request.callback).toBe(`${server.url}/api/1.0/_login/strict`);
    expect(request.issuer).toBe(`${server.url}/_saml/strict/metadata`);
  });

  it('logs in by the pages of the provider, makes a user once, and finds it ever after', async () => {
    const logIn = async (who: string) => {
      const browser = new TestBrowser();
      const page = await browser.open(`${server.url}/_login/strict`);
      const posting = await browser.submit(page, { who });
      const answer = await browser.submit(posting, {});
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      const { status, result } = JSON.parse(answer.text) as ResponseMessage;
      expect(status).toBe(200);
      return result as JsonObject & { readonly _id: string; readonly jwt: string };
    };
    const [first, again, other] = [await logIn('carl'), await logIn('carl'), await logIn('dora')];
    expect(again._id).toBe(first._id);
    expect(other._id).not.toBe(first._id);
    const me = await server.ask('GET', '/users/_me', undefined, { authorization: `Bearer ${again.jwt}` });
    expect((me.body.result as JsonObject)['_id']).toBe(first._id);
  });

  it('gives a new user the properties of the attribute map', async () => {
    const attribute = (name: string, ...values: string[]) =>
      `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`;
    const attributes = `<saml:AttributeStatement>${attribute('displayName', 'Ada L')}${attribute('groups', 'a', 'b')}${attribute('secret', 'x')}</saml:AttributeStatement>`;
    const { result } = await answered('strict', { nameId: 'with attributes', attributes });
    const { _source } = (await server.asAdmin('GET', `/users/${(result as { _id: string })._id}`)) as {
      _source: JsonObject;
    };
    expect(_source).toMatchObject({ fullName: 'Ada L', groups: ['a', 'b'], profileIds: ['default'] });
    expect(Object.keys(_source)).not.toContain('secret');
  });

  it('denies whom it does not know where users are not made, and lets in whom the configuration names', async () => {
    const before = await userCount();
    expect(idOf(await answered('closed'))).toBe('401 auth.wrong_credentials');
    expect((await answered('closed', { nameId: 'bob' })).result).toMatchObject({ _id: 'root' });
    expect(await userCount()).toBe(before);
  });

  it('shows its metadata as XML to anybody, and lists its strategies', async () => {
    const { status, headers, text } = await server.ask('GET', '/_saml/strict/metadata', undefined, {
      authorization: 'Bearer rubbish',
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/samlmetadata\+xml/);
    expect(text).toContain(`entityID="${server.url}/_saml/strict/metadata"`);
    expect(text).toContain(`Location="${server.url}/api/1.0/_login/strict"`);
    expect(text).toContain('WantAssertionsSigned="true"');
    expect((await server.ask('GET', '/_saml/local/metadata')).body).toMatchObject({
      status: 400,
      error: { id: 'auth.unknown_strategy' },
    });
    expect((await server.ask('GET', '/strategies')).body.result).toEqual(['closed', 'lenient', 'local', 'strict']);
  });
});

describe.each(Object.keys(CONNECT))('SAML over %s', (protocol) => {
  it('takes both steps as messages', async () => {
    const client = await CONNECT[protocol]?.(server);
    const login = (body: object) =>
      client?.request({ controller: 'auth', action: 'login', body: { strategy: 'strict', ...body } });
    const begun = await login({});
    expect(begun).toMatchObject({ status: 302, error: null });
    const { headers } = begun?.result as unknown as { headers: { Location: string } };
    const xml = await provider.answer(await provider.parse(headers.Location), { nameId: protocol });
    const done = await login({ SAMLResponse: Buffer.from(xml).toString('base64') });
    expect(done).toMatchObject({ status: 200, error: null });
    client?.close();
  });
});

describe('SAML: an answer that is good', () => {
  it.each([
    ['strict', {}],
    ['lenient', { isResponseSigned: false }],
    ['lenient', {}],
  ])('is taken by %s', async (strategy, signing) => {
    expect((await answered(strategy, {}, signing)).status).toBe(200);
  });

  it('is taken once', async () => {
    const xml = await provider.answer(await begin('strict'));
    const all = await Promise.all(Array.from({ length: 5 }, () => post('strict', xml)));
    expect(all.map(idOf).sort()).toEqual([
      '200 no error',
      ...Array.from({ length: 4 }, () => '401 auth.assertion_refused'),
    ]);
    expect(idOf(await post('strict', xml))).toBe('401 auth.assertion_refused');
  });

  it('is taken after a bad one to the same request: knowing a request spoils no login', async () => {
    const request = await begin('strict');
    const forged = await provider.answer(request, {}, { byStranger: true });
    expect(idOf(await post('strict', forged))).toBe('401 auth.assertion_refused');
    expect((await post('strict', await provider.answer(request))).status).toBe(200);
  });
});

describe('SAML: an answer is refused', () => {
  const unsigned = { isAssertionSigned: false, isResponseSigned: false };
  const assertionAlone = { isResponseSigned: false };
  const responseAlone = { isAssertionSigned: false };
  it.each<[string, string, AnswerParts, Signing, RegExp]>([
    ['unsigned', 'strict', {}, unsigned, /signed/],
    ['unsigned', 'lenient', {}, unsigned, /signed/],
    ['with a signed assertion alone', 'strict', {}, assertionAlone, /signed/],
    ['with an assertion unsigned in a signed answer', 'strict', {}, responseAlone, /signed/],
    ['with an assertion unsigned in a signed answer', 'lenient', {}, responseAlone, /signed/],
    ['signed by a stranger', 'strict', {}, { byStranger: true }, /signed/],
    ['signed by a stranger', 'lenient', {}, { byStranger: true, ...assertionAlone }, /signed/],
    ['for another audience', 'strict', { audience: 'https://other.example' }, {}, /audience/],
    ['for no audience', 'strict', { conditions: '<saml:OneTimeUse/>' }, {}, /audience/],
    ['without conditions', 'strict', { conditions: null }, {}, /refused/],
    ['for another recipient', 'strict', { recipient: 'https://other.example' }, {}, /recipient/],
    ['of another issuer', 'strict', { issuer: 'https://other.example' }, {}, /issuer/],
    ['that has expired', 'strict', { begins: -600, ends: -60 }, {}, /expired/],
    ['whose confirmation has expired', 'strict', { confirmationEnds: -60 }, {}, /expired/],
    ['whose session has ended', 'strict', { sessionEnds: -60 }, {}, /ended/],
    ['that is not valid yet', 'strict', { begins: 120, ends: 600 }, {}, /not valid yet/],
    ['to a request that no client made', 'strict', { inResponseTo: '_unknown' }, {}, /request/],
    [
      'to another request than it says',
      'lenient',
      { inResponseTo: '_unknown', responseInResponseTo: 'own' },
      assertionAlone,
      /request/,
    ],
    ['for the holder of a key', 'strict', { method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' }, {}, /bearer/],
    ['without a confirmation', 'strict', { subject: '<saml:NameID>ada</saml:NameID>' }, {}, /refused/],
    ['without a subject’s name', 'strict', { nameId: '' }, {}, /names no user/],
    [
      'with a transient subject',
      'strict',
      { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
      {},
      /transient/,
    ],
    [
      'with an e-mail address for a subject',
      'strict',
      { nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' },
      {},
      /e-mail/,
    ],
    ['that says nothing of a login', 'strict', { statements: '' }, {}, /login/],
  ])('%s (%s)', async (_, strategy, parts, signing, message) => {
    const before = await userCount();
    const request = await begin(strategy);
    const own = parts.responseInResponseTo === 'own' ? { ...parts, responseInResponseTo: request.id } : parts;
    const refused = await post(strategy, await provider.answer(request, { nameId: 'refused', ...own }, signing));
    expect(idOf(refused)).toBe('401 auth.assertion_refused');
    expect(refused.error?.message).toMatch(message);
    expect(await userCount()).toBe(before);
  });

  it('made for another strategy of the same server', async () => {
    const xml = await provider.answer(await begin('lenient'));
    expect(idOf(await post('strict', xml))).toBe('401 auth.assertion_refused');
  });

  const cases = ['strict', 'lenient'].flatMap((strategy) =>
    Object.keys(WRAPS).map((name): [string, string] => [name, strategy]),
  );
  it.each(cases)('wrapped: %s (%s)', async (name, strategy) => {
    const before = await userCount();
    const request = await begin(strategy);
    const isAnswer = name === 'XSW1' || name === 'XSW2';
    const signing = strategy === 'strict' || isAnswer ? {} : { isResponseSigned: false };
    const xml = await provider.answer(request, { nameId: 'good' }, signing);
    const wrapped = WRAPS[name]?.(xml, 'evil') ?? '';
    expect(wrapped).toContain('>evil<');
    expect(wrapped).toContain('>good<');
    const refused = await post(strategy, wrapped);
    expect(idOf(refused)).toBe('401 auth.assertion_refused');
    expect(refused.error?.message).toMatch(/signed|one assertion/);
    expect(await userCount()).toBe(before);
    // The same request is still good: nothing but the wrapping was wrong.
    expect((await post(strategy, xml)).status).toBe(200);
  });

  it.each<[string, (xml: string) => string]>([
    ['a changed subject', (xml) => xml.replace('>good<', '>evil<')],
    ['a changed audience', (xml) => xml.replace(/<saml:Audience>[^<]*/, '<saml:Audience>x')],
    ['a comment in the subject (4xx)', (xml) => xml.replace('>good<', '>go<!---->od<')],
    ['two assertions', (xml) => xml.replace(/(<saml:Assertion[\s\S]*<\/saml:Assertion>)/, '$1$1')],
    ['no assertion', (xml) => xml.replace(/<saml:Assertion[\s\S]*<\/saml:Assertion>/, '')],
    ['its signatures cut out', (xml) => xml.replaceAll(/<ds:Signature[\s\S]*?<\/ds:Signature>/g, '')],
    ['a signature by another method', (xml) => xml.replaceAll('rsa-sha256', 'hmac-sha256')],
    ['another element at the root', (xml) => xml.replaceAll('samlp:Response', 'samlp:LogoutResponse')],
  ])('with %s', async (_, change) => {
    const before = await userCount();
    const xml = await provider.answer(await begin('strict'), { nameId: 'good' });
    const refused = await post('strict', change(xml));
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.status).toBeLessThan(500);
    expect(refused.error?.id).toMatch(/^auth\.assertion_(refused|malformed)$/);
    expect(await userCount()).toBe(before);
  });
});

describe('SAML: what is no answer', () => {
  const bomb = `<!DOCTYPE r [<!ENTITY a "${'x'.repeat(1_000)}">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${'bcdefghij'[i]} "${`&${'abcdefghi'[i]};`.repeat(10)}">`).join('')}]><samlp:Response>&j;</samlp:Response>`;
  it.each<[string, string]>([
    ['a bomb of entities', bomb],
    ['a document type', '<!DOCTYPE samlp:Response SYSTEM "file:///etc/passwd"><samlp:Response/>'],
    ['a comment', '<samlp:Response><!-- x --></samlp:Response>'],
    ['CDATA', '<samlp:Response><![CDATA[x]]></samlp:Response>'],
    ['an instruction', '<samlp:Response><?php x ?></samlp:Response>'],
    ['a deep one', `<samlp:Response>${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}</samlp:Response>`],
    ['many tags', `<samlp:Response>${'<a/>'.repeat(20_000)}</samlp:Response>`],
    ['many attributes', `<samlp:Response ${Array.from({ length: 9_000 }, (_, i) => `a${i}=""`).join(' ')}/>`],
    ['many namespaces', `<samlp:Response ${Array.from({ length: 3_000 }, (_, i) => `xmlns:a${i}="x"`).join(' ')}/>`],
    ['a tag that is never closed', `<samlp:Response><${'a'.repeat(90_000)}`],
    ['a string without tags', 'x'.repeat(90_000)],
    ['two documents', '<samlp:Response/><samlp:Response/>'],
    ['a request', '<samlp:LogoutRequest/>'],
    ['tags that cross', '<samlp:Response><a></samlp:Response></a>'],
    ['an open tag', '<samlp:Response><a>'],
    ['nothing but space', '   '],
    ['a huge one', `<samlp:Response>${' '.repeat(150_000)}</samlp:Response>`],
  ])('%s: 400', async (_, xml) => {
    const refused = await post('strict', xml);
    expect(idOf(refused)).toBe('400 auth.assertion_malformed');
  });

  it.each<[string, string]>([
    ['text that is no base64', 'PD94*'],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x3c]).toString('base64')],
    ['a deflated one', deflateRawSync('<samlp:Response/>').toString('base64')],
    ['an empty field', ''],
  ])('%s: 400', async (_, text) => {
    expect(idOf(await postText('strict', text))).toBe('400 auth.assertion_malformed');
  });

  it.each<[string, object]>([
    ['a list', { SAMLResponse: ['x'] }],
    ['an object', { SAMLResponse: { $ne: 1 } }],
    ['a number', { SAMLResponse: 5 }],
  ])('%s as JSON: 400', async (_, body) => {
    const answer = await server.ask('POST', '/_login/strict', body);
    expect(answer.body).toMatchObject({ status: 400, error: { id: 'auth.assertion_malformed' } });
  });

  it('an answer in the address: 400', async () => {
    const xml = await provider.answer(await begin('strict'));
    const address = `/_login/strict?SAMLResponse=${encodeURIComponent(Buffer.from(xml).toString('base64'))}`;
    expect((await server.ask('GET', address)).body).toMatchObject({
      status: 400,
      error: { id: 'auth.assertion_malformed' },
    });
  });

  it('a form for anything but SAML: 415', async () => {
    for (const path of ['/_login', '/_login/local', '/users/_search', '/_checkToken']) {
      const body = new URLSearchParams({ SAMLResponse: 'x' });
      expect((await fetch(`${server.url}${path}`, { method: 'POST', body })).status).toBe(415);
    }
  });
});
