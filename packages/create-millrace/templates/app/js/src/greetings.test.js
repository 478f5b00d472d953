import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { loadFunctions } from '@millrace/server';
import { startTestKernel } from '@millrace/testing';

describe('greetings', () => {
  let server;
  before(async () => {
    server = await startTestKernel({ plugins: [await loadFunctions('functions')] });
  });
  after(() => server.close());

  it('greets by name, and keeps the greeting', async () => {
    const { status, body } = await server.ask('POST', '/_hello/Ada');
    assert.equal(status, 200);
    assert.equal((body?.['result']).greeting, 'Hello, Ada!');
    const { result } = await server.kernel.execute({
      controller: 'document',
      action: 'count',
      index: 'app',
      collection: 'greetings',
    });
    assert.deepEqual(result, { count: 1 });
  });

  it('refuses a message without a name', async () => {
    const message = await server.kernel.execute({ controller: 'greetings', action: 'hello' });
    assert.equal(message.status, 400);
    assert.equal(message.error?.id, 'api.missing_argument');
  });
});
