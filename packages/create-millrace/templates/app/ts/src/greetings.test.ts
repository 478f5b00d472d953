import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RequestFields } from '@millrace/kernel';
import { loadFunctions } from '@millrace/server';
import { startTestKernel, type TestKernel } from '@millrace/testing';

describe('greetings', () => {
  let server: TestKernel;
  before(async () => {
    server = await startTestKernel({ plugins: [await loadFunctions('functions')] });
  });
  after(() => server.close());

  it('greets by name, and keeps the greeting', async () => {
    const { status, body } = await server.ask('POST', '/_hello/Ada');
    assert.equal(status, 200);
    assert.equal((body?.['result'] as { greeting: string }).greeting, 'Hello, Ada!');
    const { result } = await server.kernel.execute({
      controller: 'document',
      action: 'count',
      index: 'app',
      collection: 'greetings',
    });
    assert.deepEqual(result, { count: 1 });
  });

  it('refuses a message without a name', async () => {
    // The compiler would refuse it too.
    const fields: RequestFields = { controller: 'greetings', action: 'hello' };
    const message = await server.kernel.execute(fields);
    assert.equal(message.status, 400);
    assert.equal(message.error?.id, 'api.missing_argument');
  });
});
