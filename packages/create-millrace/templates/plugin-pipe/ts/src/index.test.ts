import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { stamps } from './index.js';

describe('stamps', () => {
  let server: TestKernel;
  const failures: string[] = [];
  before(async () => {
    const onFailure = ({ action, status }: { action: string; status: number }) => failures.push(`${action} ${status}`);
    server = await startTestKernel({ plugins: [stamps({ onFailure })] });
  });
  after(() => server.close());

  it('stamps a new document with the time', async () => {
    const beforeMs = Date.now();
    const { body } = await server.ask('POST', '/library/books/one/_create', { title: 'Emma' });
    const { _source } = body?.['result'] as { _source: { title: string; createdAtMs: number } };
    assert.equal(_source.title, 'Emma');
    assert.ok(_source.createdAtMs >= beforeMs && _source.createdAtMs <= Date.now());
  });

  it('refuses a document that has a time already, and the hook sees it', async () => {
    const { status, body } = await server.ask('POST', '/library/books/_create', { createdAtMs: 1 });
    assert.equal(status, 400);
    assert.equal((body?.['error'] as { id: string }).id, 'stamps.reserved');
    assert.deepEqual(failures, ['document.create 400']);
  });

  it('does so in every way to write a document', async () => {
    const book = { createdAtMs: 1 };
    const items = { documents: [{ _id: 'two', body: book }] };
    const lines = { bulkData: [{ index: { _id: 'two' } }, book] };
    const statuses: number[] = [];
    for (const [method, path, body] of [
      ['PUT', '/library/books/one', book],
      ['PUT', '/library/books/one/_replace', book],
      ['PUT', '/library/books/one/_update', book],
      ['POST', '/library/books/_mCreate', items],
      ['POST', '/library/books/_bulk', lines],
    ] as const) {
      statuses.push((await server.ask(method, path, body)).status);
    }
    // 206: of several documents some failed.
    assert.deepEqual(statuses, [400, 400, 400, 206, 206]);
    assert.equal((await server.ask('GET', '/library/books/two')).status, 404);
  });

  it('keeps the time of a document that is replaced', async () => {
    const { body: before } = await server.ask('GET', '/library/books/one');
    const { body: after } = await server.ask('PUT', '/library/books/one', { title: 'Emma, again' });
    const timeOf = (body: typeof before) =>
      (body?.['result'] as { _source: { createdAtMs: number } })._source.createdAtMs;
    assert.equal(timeOf(after), timeOf(before));
  });
});
