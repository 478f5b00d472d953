import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import type { Exchange } from './Exchange.js';
import { memoryCalls } from './memoryCalls.js';
import { openDescribedServer } from './openDescribedServer.js';
import { OpenApiCheck } from './OpenApiCheck.js';
import { serviceCalls } from './serviceCalls.js';

/** Needs a provider, and is described by its plugin. */
const ELSEWHERE = ['samlGetMetadata'];

describe('a call of every route', () => {
  let server: Awaited<ReturnType<typeof openDescribedServer>>;
  let check: OpenApiCheck;
  let jwt = '';
  const exchanges: Exchange[] = [];
  const unexpected: string[] = [];

  beforeAll(async () => {
    server = await openDescribedServer();
    check = new OpenApiCheck(await server.read('/_openapi'));
    await callAll(serviceCalls.first);
    await logIn('a long password');
    const scroll = await openScroll();
    await callAll(serviceCalls.second.replace('{scroll}', scroll));
    await logIn('a longer password');
    await callAll(memoryCalls);
    await callAll(serviceCalls.last);
  });
  afterAll(() => server.close());

  async function callAll(lines: string): Promise<void> {
    for (const line of lines.trim().split('\n')) {
      const [, status = '200', method = '', url = '', body = ''] =
        /^(?:(\d{3}) )?(\w+) (\S+)(?: (.*))?$/.exec(line) ?? [];
      const exchange = await call(method, url, body);
      exchanges.push(exchange);
      if (exchange.status !== Number(status)) unexpected.push(`${line} → ${exchange.responseBody}`);
      // Some calls end the token of the calls after them.
      if (url === '/_refreshToken') jwt = resultOf(exchange, 'jwt');
    }
  }

  async function call(method: string, url: string, body: string): Promise<Exchange> {
    const answer = await fetch(server.urlOf('http') + url, {
      method,
      headers: {
        ...(jwt === '' ? undefined : { authorization: `Bearer ${jwt}` }),
        ...(body === '' ? undefined : { 'content-type': 'application/json' }),
      },
      ...(body === '' ? undefined : { body }),
    });
    const responseHeaders: Record<string, string> = {};
    answer.headers.forEach((value, name) => (responseHeaders[name] = value));
    return {
      method,
      url,
      requestBody: body,
      requestType: body === '' ? '' : 'application/json',
      status: answer.status,
      responseType: answer.headers.get('content-type') ?? '',
      responseHeaders,
      responseBody: await answer.text(),
    };
  }

  async function logIn(password: string): Promise<void> {
    jwt = '';
    const body = JSON.stringify({ username: 'admin-1', password });
    jwt = resultOf(await call('POST', '/_login', body), 'jwt');
  }

  async function openScroll(): Promise<string> {
    await call('PUT', '/scrolled/things/a', '{}');
    await call('PUT', '/scrolled/things/b', '{}');
    const opened = await call('POST', '/scrolled/things/_search?scroll=1m&size=1', '{}');
    return resultOf(opened, '_scroll_id');
  }

  it('answers with the status that is expected of it', () => {
    expect(unexpected).toEqual([]);
  });

  it('is as the OpenAPI document describes it, request and response', () => {
    expect(exchanges.flatMap((each) => check.problemsOf(each) ?? [`${each.url}: no such route`])).toEqual([]);
  });

  it('leaves no route of the document out', () => {
    const left = check.operationIds.filter((id) => !check.seen.has(id) && !ELSEWHERE.includes(id));
    expect(left).toEqual([]);
  });
});

function resultOf({ responseBody }: Exchange, name: string): string {
  const { result } = JSON.parse(responseBody) as { readonly result: JsonObject };
  const value = result[name];
  return typeof value === 'string' ? value : '';
}
