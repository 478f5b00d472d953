import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKernel, type StartedKernel } from '../startKernel.js';

const MAX_BYTES = 3_000_000;
let started: StartedKernel;

/** Lines of about 100 bytes for `bulk.import`. */
const documents = (count: number) =>
  Array.from({ length: count }, () => [{ index: {} }, { text: 'x'.repeat(75) }]).flat();
const importAll = (count: number) => started.ask('POST', '/big/docs/_bulk', { bulkData: documents(count) });

beforeAll(async () => {
  started = await startKernel({ server: { maxBytesInFlight: MAX_BYTES } });
  await started.ask('PUT', '/big/docs', {});
});
afterAll(() => started.close());

describe('what one client may use of an idle server (PROTO-22)', () => {
  it('is taken up to two thirds of server.maxBytesInFlight', async () => {
    expect((await importAll(6_000)).status).toBe(200);
  });

  it('refuses a request beyond it with 413 and the limit, not with a 503 that never ends', async () => {
    const { status, body } = await importAll(12_000);
    expect(status).toBe(413);
    expect(body.error).toMatchObject({
      id: 'api.request_too_heavy',
      message: expect.stringMatching(/2000000 bytes .*server\.maxBytesInFlight.*NDJSON/) as string,
    });
  });

  it('refuses an answer beyond it with the limit', async () => {
    await started.ask('POST', '/big/_refresh');
    const ids = Array.from({ length: 25 }, (_, i) => `long${i}`);
    for (const id of ids) await started.ask('PUT', `/big/long/${id}`, { text: 'x'.repeat(100_000) });
    const { status, body } = await started.ask('POST', '/big/long/_mGet', { ids });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      id: 'api.answer_too_heavy',
      message: expect.stringContaining('2000000 bytes') as string,
    });
  });
});
