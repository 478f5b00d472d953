import { defineLibrary } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { checkLibraries } from './checkLibraries.js';

const good = defineLibrary('good', () => Promise.resolve({}));
const missing = defineLibrary('absent', () => Promise.reject(new Error("Cannot find 'absent'")));

describe('checkLibraries', () => {
  it('names the packages that can be loaded', async () => {
    const [found] = await checkLibraries([good]);
    expect(found).toMatchObject({ level: 'ok', saw: 'these packages can be loaded: good' });
  });

  it('gives the reason why one cannot be loaded', async () => {
    expect(await checkLibraries([good, missing])).toMatchObject([
      {
        id: 'library',
        level: 'error',
        saw: "The package absent can't be loaded: Cannot find 'absent'",
      },
    ]);
  });

  it('has its first use fail with a registered error, without the reason', async () => {
    await expect(missing.load()).rejects.toMatchObject({
      id: 'core.library_unavailable',
      status: 500,
      message:
        "The package absent can't be loaded: install the server again (npm install); millrace doctor shows the reason",
    });
  });
});
