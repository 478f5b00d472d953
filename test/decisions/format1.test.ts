import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { localAuth } from '@millrace/auth-local';
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKernel } from '../startKernel.js';

const metaOf = (result: unknown) => (result as { readonly _meta: JsonObject })._meta;

/** Without `_meta`, and without how long a search took. */
function settled(result: unknown): unknown {
  const text = JSON.stringify(result, (key, value: unknown) => (key === '_meta' || key === 'took' ? undefined : value));
  return JSON.parse(text) as unknown;
}

describe('a data folder of format 1 (docs/decisions/0019)', () => {
  const fixture = JSON.parse(
    gunzipSync(readFileSync(new URL('format1/dataFolder.json.gz', import.meta.url))).toString(),
  ) as { readonly files: Readonly<Record<string, string>>; readonly answers: readonly unknown[] };
  const questions = JSON.parse(
    readFileSync(new URL('format1/questions.json', import.meta.url), 'utf8'),
  ) as readonly (readonly [method: string, path: string, body?: JsonObject])[];
  let dataDir: string;

  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'millrace-format1-'));
    for (const [name, base64] of Object.entries(fixture.files)) {
      mkdirSync(dirname(join(dataDir, name)), { recursive: true });
      writeFileSync(join(dataDir, name), Buffer.from(base64, 'base64'));
    }
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  const start = async () => {
    const started = await startKernel({ server: { dataDir }, plugins: [localAuth()] });
    const body = { username: 'root', password: 'river-mill-1' };
    const login = await started.ask('POST', '/_login/local', body);
    const { jwt } = login.body.result as { readonly jwt: string };
    const ask = async (method: string, path: string, sent?: unknown) => {
      const answer = await started.ask(method, path, sent, { authorization: `Bearer ${jwt}` });
      return answer.body.result as unknown;
    };
    return { ask, close: () => started.kernel.stop() };
  };
  const NONE = { createdAt: null, updatedAt: null, author: null, updater: null };

  it('is upgraded at the start: every document and every search result stays', async () => {
    const { ask, close } = await start();
    for (const [i, [method, path, body]] of questions.entries()) {
      const answer = settled(await ask(method, path, body));
      expect(answer, `${method} ${path} ${JSON.stringify(body)}`).toEqual(settled(fixture.answers[i]));
    }
    expect(metaOf(await ask('GET', '/city/stations/s1'))).toEqual(NONE);
    const changed = metaOf(await ask('PUT', '/city/stations/s1/_update', { closed: true }));
    expect(changed).toEqual({ ...NONE, updatedAt: expect.any(Number) as number, updater: 'root' });
    await ask('POST', '/city/stations/new/_create', { name: 'new' });
    await close();
  });

  it('keeps old and new documents over the next start', async () => {
    const { ask, close } = await start();
    const found = await ask('POST', '/city/stations/_search', {
      query: { exists: { field: '_meta.createdAt' } },
    });
    expect(found).toMatchObject({ total: 1, hits: [{ _id: 'new', _meta: { author: 'root' } }] });
    expect(await ask('POST', '/city/stations/_count', {})).toEqual({ count: 301 });
    expect(await ask('GET', '/city/stations/s1')).toMatchObject({
      _version: 2,
      _source: { closed: true, line: 'green' },
      _meta: { createdAt: null, updater: 'root' },
    });
    await close();
  });
});
