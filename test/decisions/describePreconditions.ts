import { describe, expect, it } from 'vitest';
import { useServer, type TestedEngine } from './TestServer.js';

export function describePreconditions(engine: TestedEngine): void {
  describe('preconditions (PROTO-30)', () => {
    const server = useServer(engine);
    const stored = async () => {
      const path = `/${server().newIndex()}/books/1`;
      await server().http('PUT', path, { n: 1 });
      return path;
    };
    const outcome = async (method: string, path: string, body: unknown, headers: object) => {
      const { status, body: envelope } = await server().http(method, path, body, { ...headers });
      const { error } = envelope as { readonly error: { readonly id: string } | null };
      return error === null ? status : `${status} ${error.id}`;
    };
    const FAILED = '412 document.precondition_failed';

    it('answers about a document carry its version as ETag', async () => {
      const { http, newIndex } = server();
      const path = `/${newIndex()}/books`;
      const tag = async (method: string, end: string, body?: unknown) =>
        (await http(method, path + end, body)).headers.get('etag');
      expect(await tag('POST', '/1/_create', { n: 1 })).toBe('"1"');
      expect(await tag('PUT', '/1', { n: 2 })).toBe('"2"');
      expect(await tag('PUT', '/1/_replace', { n: 3 })).toBe('"3"');
      expect(await tag('PUT', '/1/_update', { m: 4 })).toBe('"4"');
      expect(await tag('POST', '/1/_upsert', { doc: { m: 5 } })).toBe('"5"');
      expect(await tag('GET', '/1')).toBe('"5"');
      expect(await tag('HEAD', '/1')).toBe('"5"');
      expect(await tag('GET', '/none')).toBeNull();
      expect(await tag('POST', '/_search', {})).toBeNull();
      expect(await tag('PUT', '/1/_update?ifVersion=1', { m: 6 })).toBeNull();
    });

    it.each(['/_replace', '/_update', ''])(
      'If-Match on PUT <id>%s asks for the version: 412, and 409 by the argument',
      async (end) => {
        const path = await stored();
        expect(await outcome('PUT', path + end, { n: 2 }, { 'if-match': '"9"' })).toBe(FAILED);
        expect((await server().http('GET', path)).body).toMatchObject({ result: { _version: 1 } });
        expect(await outcome('PUT', path + end, { n: 2 }, { 'if-match': '"1"' })).toBe(200);
        expect(await outcome('PUT', path + end, { n: 3 }, { 'if-match': '"1"' })).toBe(FAILED);
        expect(await outcome('PUT', path + end, { n: 3 }, { 'if-match': '*' })).toBe(200);
        if (end === '') return;
        expect(await outcome('PUT', `${path}${end}?ifVersion=1`, {}, {})).toBe('409 document.version_conflict');
      },
    );

    it('If-Match on DELETE', async () => {
      const path = await stored();
      expect(await outcome('DELETE', path, undefined, { 'if-match': '"2"' })).toBe(FAILED);
      expect(await outcome('DELETE', path, undefined, { 'if-match': '"1"' })).toBe(200);
      expect(await outcome('DELETE', path, undefined, { 'if-match': '*' })).toBe('404 document.not_found');
    });

    it('an absent document fails If-Match of createOrReplace, and is not created', async () => {
      const path = `${await stored()}-absent`;
      for (const match of ['*', '"1"']) {
        expect(await outcome('PUT', path, { n: 1 }, { 'if-match': match })).toBe(FAILED);
      }
      expect(await outcome('GET', path, undefined, {})).toBe('404 document.not_found');
    });

    it('If-None-Match: * on createOrReplace creates', async () => {
      const path = await stored();
      expect(await outcome('PUT', path, { n: 2 }, { 'if-none-match': '*' })).toBe(FAILED);
      expect((await server().http('GET', path)).body).toMatchObject({
        result: { _source: { n: 1 } },
      });
      const created = await server().http('PUT', `${path}-new`, {}, { 'if-none-match': '*' });
      expect(created.body).toMatchObject({ status: 200, result: { created: true } });
    });

    it('both are ignored on GET and HEAD', async () => {
      const path = await stored();
      for (const method of ['GET', 'HEAD']) {
        const headers = { 'if-match': 'nonsense', 'if-none-match': '"1"' };
        expect((await server().http(method, path, undefined, headers)).status).toBe(200);
      }
    });

    it.each([
      { 'if-match': '1' },
      { 'if-match': '"one"' },
      { 'if-match': '"1", "2"' },
      { 'if-match': '"0"' },
      { 'if-none-match': '"1"' },
      { 'if-match': '*', 'if-none-match': '*' },
    ])('%j is a 400 that names the header', async (headers) => {
      const path = await stored();
      const { status, body } = await server().http('PUT', path, { n: 2 }, headers);
      expect([status, body]).toMatchObject([400, { error: { id: 'api.invalid_argument' } }]);
      expect((body.error as { readonly message: string }).message).toMatch(/If-(None-)?Match/);
      expect((await server().http('GET', path)).body).toMatchObject({ result: { _version: 1 } });
    });

    it('an action that takes no such condition refuses it rather than pass it over', async () => {
      const path = await stored();
      const collection = path.slice(0, path.lastIndexOf('/'));
      expect(await outcome('DELETE', collection, undefined, { 'if-match': '"1"' })).toBe('400 api.invalid_argument');
      expect((await server().http('GET', path)).status).toBe(200);
    });

    it('the header and another ifVersion contradict each other', async () => {
      const path = await stored();
      expect(await outcome('PUT', `${path}/_update?ifVersion=2`, { n: 2 }, { 'if-match': '"1"' })).toBe(
        '400 api.invalid_argument',
      );
    });

    it('of several writers with one version, one wins', async () => {
      const path = await stored();
      const writes = Array.from({ length: 8 }, (_, n) =>
        outcome('PUT', `${path}/_replace`, { n }, { 'if-match': '"1"' }),
      );
      const outcomes = await Promise.all(writes);
      expect(outcomes.filter((each) => each === 200)).toHaveLength(1);
      expect(outcomes.filter((each) => each === FAILED)).toHaveLength(7);
    });
  });
}
