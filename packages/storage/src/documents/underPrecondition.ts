import { apiErrors, documentErrors, MillraceError, type CollectionName, type Precondition } from '@millrace/kernel';

/** One document, and the conditions of its write. */
export interface Conditional {
  readonly name: CollectionName;
  readonly id: string;
  readonly precondition: Precondition | null;
}

/** The ids of errors that mean that a precondition doesn't hold, by its kind. */
const FAILURES: Readonly<Record<Precondition['kind'], readonly string[]>> = {
  version: [documentErrors.version_conflict.id],
  present: [],
  absent: [documentErrors.already_exists.id],
};

/**
 * The version that the argument `ifVersion` and the header If-Match require.
 * @throws api.invalid_argument (400) if they require different ones
 */
export function versionAsked(precondition: Precondition | null, ifVersion: number | undefined): number | undefined {
  if (precondition?.kind !== 'version') return ifVersion;
  const { version } = precondition;
  if (ifVersion === undefined || ifVersion === version) return version;
  const expected = `${version}, the version in If-Match`;
  throw apiErrors.invalid_argument({ name: 'ifVersion', value: String(ifVersion), expected });
}

/**
 * Runs a write. If the precondition doesn't hold, the write's own error is replaced by a 412.
 * @param isCreator an absent document fails the precondition: without it, the write would create the document
 * @throws document.precondition_failed (412), and what the write throws
 */
export async function underPrecondition<T>(
  { name, id, precondition }: Conditional,
  write: () => Promise<T>,
  isCreator = false,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (precondition === null || !(error instanceof MillraceError)) throw error;
    const isAbsent = isCreator && error.status === 404 && precondition.kind !== 'absent';
    if (!isAbsent && !FAILURES[precondition.kind].includes(error.id)) throw error;
    throw documentErrors.precondition_failed({ ...name, id, expected: wordsOf(precondition) }, { cause: error });
  }
}

function wordsOf(precondition: Precondition): string {
  switch (precondition.kind) {
    case 'version':
      return `version ${precondition.version} (If-Match)`;
    case 'present':
      return 'a document (If-Match: *)';
    case 'absent':
      return 'none (If-None-Match: *)';
  }
}
