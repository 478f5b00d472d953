import { loadConfig } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { httpConfig, type HttpConfig } from './config.js';

function load(environment: Readonly<Record<string, string>>) {
  return loadConfig({ http: httpConfig }, { environment }).section<HttpConfig>('http');
}

describe('httpConfig', () => {
  it('has the defaults of the specification', () => {
    expect(load({})).toMatchObject({
      host: '127.0.0.1',
      port: 7_511,
      maxBodySize: '1mb',
      cors: { origin: '*' },
    });
  });

  it('is read from the environment', () => {
    const config = load({
      MILLRACE_HTTP_PORT: '0',
      MILLRACE_HTTP_MAX_BODY_SIZE: '2mb',
      MILLRACE_HTTP_CORS_ORIGIN: 'https://a.example,https://b.example',
      MILLRACE_HTTP_REQUEST_TIMEOUT_MS: '1000',
    });
    expect(config).toMatchObject({
      port: 0,
      maxBodySize: '2mb',
      cors: { origin: 'https://a.example,https://b.example' },
      requestTimeoutMs: 1_000,
    });
    expect(load({ MILLRACE_HTTP_MAX_BODY_SIZE: '4096' }).maxBodySize).toBe('4096');
  });

  it('takes numbers and lists from a configuration file', () => {
    const http = { maxBodySize: 4_096, cors: { origin: ['https://a.example'] } };
    const config = loadConfig({ http: httpConfig }, { file: { name: 'file', values: { http } } });
    expect(config.section('http')).toMatchObject(http);
  });

  it.each([
    ['MILLRACE_HTTP_PORT', '70000'],
    ['MILLRACE_HTTP_HOST', ' '],
    ['MILLRACE_HTTP_MAX_BODY_SIZE', 'big'],
    ['MILLRACE_HTTP_MAX_BODY_SIZE', '0'],
    ['MILLRACE_HTTP_CORS_ORIGIN', 'a.example'],
    ['MILLRACE_HTTP_KEEP_ALIVE_TIMEOUT_MS', '-1'],
    ['MILLRACE_HTTP_MAX_HEADER_SIZE', '10'],
  ])('refuses %s=%s in one line that names the key', (name, value) => {
    const key = /^MILLRACE_HTTP_(.*)$/.exec(name)?.[1]?.split('_')[0]?.toLowerCase() ?? '';
    expect(() => load({ [name]: value })).toThrow(new RegExp(`^[^\\n]*http\\.${key}[^\\n]*$`));
  });
});
