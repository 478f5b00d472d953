import { documentErrors, type WriteOperation } from '@millrace/kernel';
import { METADATA } from '../server/METADATA.js';
import type { DocumentState, WriteDecision } from './PendingWrite.js';

/**
 * Judges a write by the document as it is, and says what to send. What is sent holds only while the document stays so.
 * @param state undefined only for writes on the condition `absent`, which the server judges itself
 */
export function decideWrite(
  operation: WriteOperation,
  alias: string,
  state: DocumentState | null | undefined,
): WriteDecision {
  const { index, collection, id, condition } = operation;
  if (state !== null && state !== undefined) {
    if (condition === 'absent') {
      return failed(documentErrors.already_exists({ index, collection, id }));
    }
    if (typeof condition === 'number' && condition !== state.version) {
      const { version: actual } = state;
      return failed(documentErrors.version_conflict({ id, expected: condition, actual }));
    }
  } else if (condition === 'present' || typeof condition === 'number') {
    return failed(documentErrors.not_found({ index, collection, id }));
  }
  const version = (state?.version ?? 0) + 1;
  const target = {
    _index: alias,
    _id: id,
    ...(state === null || state === undefined
      ? {}
      : { if_seq_no: state.sequenceNumber, if_primary_term: state.primaryTerm }),
  };
  if (operation.kind === 'delete') {
    const lines = [JSON.stringify({ delete: target })];
    return { kind: 'send', lines, version: state?.version ?? 0 };
  }
  if (Object.hasOwn(operation.source, METADATA)) {
    return failed(
      documentErrors.invalid_value({ reason: `the key "${METADATA}" is the engine's own` }),
    );
  }
  const action = state === null || state === undefined ? 'create' : 'index';
  const lines = [JSON.stringify({ [action]: target }), toSourceLine(operation, version)];
  return { kind: 'send', lines, version };
}

function failed(error: ReturnType<typeof documentErrors.not_found>): WriteDecision {
  return { kind: 'done', outcome: { status: 'failed', error } };
}

/** The document as text with the metadata put in front: what the user sent stays as it was written. */
function toSourceLine(
  { id, source }: Extract<WriteOperation, { readonly kind: 'put' }>,
  version: number,
): string {
  const metadata = JSON.stringify({ v: version, id });
  const text = JSON.stringify(source);
  return `{"${METADATA}":${metadata}${text === '{}' ? '' : ','}${text.slice(1)}`;
}
