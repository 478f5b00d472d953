import type { StorageEngine } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import type { OpenedChangeLog } from '@millrace/testing';

/** How a change log under test is written to: by its engine, which may be another one after a restart. */
export function engineWrites(
  engine: () => StorageEngine,
): Pick<OpenedChangeLog, 'createCollection' | 'deleteCollection' | 'truncate' | 'write'> {
  return {
    createCollection: async (name) => {
      await engine().createCollection(name, parseMapping({ dynamic: true, properties: {} }));
    },
    deleteCollection: (name) => engine().deleteCollection(name),
    truncate: (name) => engine().truncate(name),
    write: async ({ id, source, isSilent, ...name }) => {
      const [outcome] = await engine().write(
        [
          source === null
            ? { ...name, kind: 'delete', id, condition: 'present' }
            : { ...name, kind: 'put', id, source, condition: 'any' },
        ],
        false,
        undefined,
        isSilent === true ? null : undefined,
      );
      if (outcome?.status === 'failed') throw outcome.error;
    },
  };
}
