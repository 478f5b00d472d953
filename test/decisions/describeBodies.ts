import { describe, expect, it } from 'vitest';
import { useServer, type TestedEngine } from './TestServer.js';

const LINES = { 'content-type': 'application/x-ndjson' };

export function describeBodies(engine: TestedEngine): void {
  describe('bodies of lines on the bulk routes', () => {
    const server = useServer(engine);
    const send = (path: string, body: string, headers: Record<string, string> = LINES) =>
      server().http('POST', path, body, headers);
    const lines = (...values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

    it('are action and document lines, as of Elasticsearch', async () => {
      const { http, newIndex } = server();
      const index = newIndex();
      const body = lines(
        { index: { _id: '1' } },
        { n: 1 },
        { create: { _id: 2 } },
        { n: 2 },
        { update: { _id: '1' } },
        { doc: { m: 3 } },
        { delete: { _id: '2' } },
      );
      const { body: answer } = await send(`/${index}/books/_bulk`, body);
      expect(answer).toMatchObject({
        status: 200,
        result: {
          hits: [
            { index: { _id: '1', _index: index, _type: 'books', status: 201 } },
            { create: { _id: '2', status: 201 } },
            { update: { _id: '1', _version: 2, status: 200 } },
            { delete: { _id: '2', status: 200 } },
          ],
        },
      });
      expect((await http('GET', `/${index}/books/1`)).body.result).toMatchObject({ _source: { n: 1, m: 3 } });
    });

    it('take index and collection from the route, or from their lines', async () => {
      const index = server().newIndex();
      const paths: readonly [string, object][] = [
        [`/${index}/books/_bulk`, {}],
        [`/${index}/_bulk`, { _type: 'books' }],
        ['/_bulk', { _index: index, _type: 'books' }],
      ];
      for (const [path, meta] of paths) {
        const { body } = await send(path, lines({ create: meta }, { path }));
        expect(body).toMatchObject({ status: 200, result: { hits: [{ create: { _index: index, _type: 'books' } }] } });
      }
    });

    it('may be far larger than other bodies, and end without a line break, with CRLF or empty lines', async () => {
      const { http, newIndex } = server();
      const index = newIndex();
      const pair = `${JSON.stringify({ index: {} })}\r\n${JSON.stringify({ text: 'x'.repeat(2_000) })}\r\n`;
      const { body } = await send(`/${index}/books/_bulk`, `\ufeff${pair.repeat(1_500)}\r\n\n`);
      expect((body.result as { hits: unknown[] }).hits).toHaveLength(1_500);
      expect((await send(`/${index}/books/_bulk`, '{"index":{}}\n{"n":1}')).status).toBe(200);
      await http('POST', `/${index}/_refresh`);
      const counted = await http('POST', `/${index}/books/_count`, {});
      expect(counted.body.result).toEqual({ count: 1_501 });
    });

    const deep = `${'['.repeat(250)}${']'.repeat(250)}`;
    it.each([
      ['{"index":{}}\n{"n":1\n', 400, 'line 2'],
      ['{"index":{}}\n\n{"n":1}\n', 400, 'line 2: it is empty'],
      [`{"index":{}}\n{"n":${deep}}\n`, 400, 'line 2'],
      ['{"index":{}}\n7\n', 400, 'bulkData line 2'],
      ['{"index":{}}\n{}\n{"idnex":{}}\n{}\n', 400, 'bulkData line 3'],
      ['\n', 400, 'empty list'],
      [`{"index":{}}\n{"text":"${'x'.repeat(1_100_000)}"}\n`, 413, 'line 2'],
      [`${'{"index":{}}\n{}\n'.repeat(500_001)}`, 413, 'more than 1000000 items'],
    ])('are refused as a whole: %#', async (body, status, part) => {
      const index = server().newIndex();
      const refused = await send(`/${index}/books/_bulk`, body);
      expect(refused.status).toBe(status);
      expect((refused.body.error as { readonly message: string }).message).toContain(part);
      expect((await server().http('GET', `/${index}/_exists`)).body.result).toBe(false);
    });

    it('are taken by no other action; the refusal names what is taken', async () => {
      const index = server().newIndex();
      const refused = await send(`/${index}/books/_create`, '{}\n');
      expect(refused.body).toMatchObject({ status: 415, error: { id: 'api.unsupported_media_type' } });
      const other = await send(`/${index}/books/_bulk`, '{}', { 'content-type': 'text/plain' });
      expect(other.body).toMatchObject({
        status: 415,
        error: { message: expect.stringContaining('application/x-ndjson') as string },
      });
    });
  });
}
