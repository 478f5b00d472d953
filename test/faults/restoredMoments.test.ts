import { describe, it } from 'vitest';
import { inFolder } from '../backup/openServer.js';
import { pointInTime } from '../backup/pointInTime.js';

describe('a restore to any moment', () => {
  it('gives the state of each of 50 random moments (BACKUP-8)', { timeout: 900_000 }, async () => {
    await inFolder((folder) => pointInTime(folder, 20_261_123, 50));
  });
});
