import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { stamps } from './index.js';

describe('stamps', () => {
  let server: TestKernel;
  const failures: string[] = [];
  before(async () => {
    const onFailure = ({ action, status }: { action: string; status: number }) =>
      failures.push(`${action} ${status}`);
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

  it('refuses a document that brings a time of its own, and the hook sees it', async () => {
    const { status, body } = await server.ask('POST', '/library/books/_create', { createdAtMs: 1 });
    assert.equal(status, 400);
    assert.equal((body?.['error'] as { id: string }).id, 'stamps.reserved');
    assert.deepEqual(failures, ['document.create 400']);
  });
});
