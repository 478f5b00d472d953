import { expect, it } from 'vitest';
import { toSocketUrl } from './toSocketUrl.js';

it.each([
  ['http://127.0.0.1:7511', 'ws://127.0.0.1:7511/_ws'],
  ['https://api.example.com', 'wss://api.example.com/_ws'],
  ['https://app.example.com/api/', 'wss://app.example.com/api/_ws'],
  ['http://[::1]:8080/a/b', 'ws://[::1]:8080/a/b/_ws'],
])('%s is reached at %s', (httpUrl, socketUrl) => {
  expect(toSocketUrl(httpUrl)).toBe(socketUrl);
});
