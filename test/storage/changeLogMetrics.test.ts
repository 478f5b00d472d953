import { expect, it } from 'vitest';
import { startKernel } from '../startKernel.js';

const AT = { index: 'city', collection: 'stations' };

it('the metrics report the bytes of the change log and the age of its oldest change', async () => {
  const { kernel, ask, close } = await startKernel();
  const read = async (name: string) => {
    const { text } = await ask('GET', '/_metrics');
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? NaN);
  };
  expect(await read('millrace_change_log_bytes')).toBe(0);
  expect(await read('millrace_change_log_oldest_seconds')).toBe(0);
  await kernel.subscribe({ ...AT }, () => undefined);
  for (const _id of ['a', 'b']) {
    await kernel.execute({
      ...AT,
      controller: 'document',
      action: 'createOrReplace',
      _id,
      body: {},
    });
  }
  expect(await read('millrace_change_log_bytes')).toBeGreaterThan(40);
  const age = await read('millrace_change_log_oldest_seconds');
  expect(age).toBeGreaterThanOrEqual(0);
  expect(age).toBeLessThan(600);
  await close();
});
