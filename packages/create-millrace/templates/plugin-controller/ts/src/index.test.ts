import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { doors } from './index.js';

describe('doors', () => {
  let server: TestKernel;
  before(async () => {
    server = await startTestKernel({ plugins: [doors()], config: { doors: { maxOpen: 1 } } });
  });
  after(() => server.close());

  it('opens a door over HTTP and from the program, and lists it', async () => {
    const { body } = await server.ask('POST', '/_doors/front/_open?degrees=30');
    assert.deepEqual(body?.['result'], { door: 'front', degrees: 30 });
    const { result } = await server.kernel.execute({ controller: 'doors', action: 'list' });
    assert.deepEqual(result, { doors: ['front'] });
  });

  it('answers with its own error past the configured number', async () => {
    const { status, body } = await server.ask('POST', '/_doors/cellar/_open');
    assert.equal(status, 409);
    assert.equal((body?.['error'] as { id: string }).id, 'doors.shut');
  });

  it('leaves the check of arguments to the kernel', async () => {
    const { status } = await server.ask('POST', '/_doors/front/_open?degrees=181');
    assert.equal(status, 400);
  });
});
