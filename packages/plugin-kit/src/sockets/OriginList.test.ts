import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { OriginList } from './OriginList.js';

describe('OriginList', () => {
  const list = new OriginList('websocket.cors.origin', 'https://app.example, http://b.example:80');
  const refusal = (headers: IncomingHttpHeaders) => list.refusalOf({ host: '127.0.0.1:7513', ...headers });

  it.each([
    {},
    { origin: 'https://APP.example' },
    { origin: 'http://b.example:80' },
    { origin: 'http://127.0.0.1:7513' },
    { origin: 'https://data.example', host: 'Data.example' },
  ])('lets %j connect', (headers) => {
    expect(refusal(headers)).toBeUndefined();
  });

  it.each([
    { origin: 'http://app.example' },
    { origin: 'https://app.example.evil' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'http://127.0.0.1:7511' },
    { 'sec-websocket-origin': 'http://evil.example' },
  ])('refuses %j', (headers) => {
    expect(refusal(headers)).toMatchObject({ id: 'security.origin_refused', status: 403 });
  });

  it('lets every origin connect by "*"', () => {
    expect(new OriginList('k', '*').refusalOf({ origin: 'null' })).toBeUndefined();
  });
});
