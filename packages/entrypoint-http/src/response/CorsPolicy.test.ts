import { describe, expect, it } from 'vitest';
import { CorsPolicy } from './CorsPolicy.js';
import { toRecord } from './ResponseHeaders.js';

describe('CorsPolicy (PROTO-29)', () => {
  it('lets every origin read answers by default', () => {
    const headers = toRecord(new CorsPolicy('*').headersFor(undefined));
    expect(headers['Access-Control-Allow-Origin']).toBe('*');
    expect(headers.Vary).toBeUndefined();
  });

  it.each(['https://a.example, https://b.example:8443', ['https://a.example', 'https://b.example:8443']])(
    'lets only the origins of a list read answers: %j',
    (origins) => {
      const cors = new CorsPolicy(origins);
      expect(toRecord(cors.headersFor('https://b.example:8443'))).toMatchObject({
        'Access-Control-Allow-Origin': 'https://b.example:8443',
        Vary: 'Origin',
      });
      for (const other of ['https://b.example', 'https://a.example.evil', undefined]) {
        expect(cors.headersFor(other)).toEqual(['Vary', 'Origin']);
      }
    },
  );

  it('says nothing where no origin is configured', () => {
    const cors = new CorsPolicy('');
    expect([cors.headersFor('https://a.example'), cors.preflightHeaders()]).toEqual([[], []]);
  });

  it('names the headers that clients need to send and to read', () => {
    const cors = new CorsPolicy('*');
    const listOf = (value: unknown) => String(value).split(', ');
    expect(listOf(toRecord(cors.headersFor(undefined))['Access-Control-Expose-Headers'])).toEqual(
      expect.arrayContaining(['ETag', 'Millrace-Hint', 'RateLimit', 'RateLimit-Policy', 'Retry-After']),
    );
    expect(listOf(toRecord(cors.preflightHeaders())['Access-Control-Allow-Headers'])).toEqual(
      expect.arrayContaining(['If-Match', 'If-None-Match', 'Idempotency-Key']),
    );
  });

  it('never allows credentials', () => {
    for (const origin of ['*', 'https://a.example']) {
      const cors = new CorsPolicy(origin);
      const headers = [...cors.headersFor('https://a.example'), ...cors.preflightHeaders()];
      expect(headers).not.toContain('Access-Control-Allow-Credentials');
    }
  });
});
