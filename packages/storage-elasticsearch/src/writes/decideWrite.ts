import {
  documentErrors,
  NO_DOCUMENT_METADATA,
  stampMetadata,
  type StoredText,
  type WriteOperation,
  type WriteStamp,
} from '@millrace/kernel';
import { DOCUMENT_METADATA, METADATA, METADATA_PROPERTIES } from '../client/METADATA.js';
import type { DocumentState, WriteDecision } from './PendingWrite.js';

/**
 * Decides a write by the current state of its document, and returns what to send. The decision is valid only while the
 * document stays unchanged.
 * @param stamp absent: the document keeps its metadata
 * @param state undefined only for writes on the condition `absent`, which Elasticsearch checks itself
 */
export function decideWrite(
  operation: WriteOperation,
  alias: string,
  state: DocumentState | null | undefined,
  stamp: WriteStamp | undefined,
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
    const meta = state?.meta ?? NO_DOCUMENT_METADATA;
    return { kind: 'send', lines, version: state?.version ?? 0, meta };
  }
  const taken = Object.keys(METADATA_PROPERTIES).find((key) => Object.hasOwn(operation.source, key));
  if (taken !== undefined) {
    return failed(documentErrors.invalid_value({ reason: `the key "${taken}" is the engine's own` }));
  }
  const action = state === null || state === undefined ? 'create' : 'index';
  const before = state?.meta ?? null;
  const meta = stamp === undefined ? (before ?? NO_DOCUMENT_METADATA) : stampMetadata(before, stamp);
  const json = JSON.stringify(operation.source);
  const lines = [JSON.stringify({ [action]: target }), toSourceLine({ id, json, version, meta })];
  return { kind: 'send', lines, version, meta };
}

function failed(error: ReturnType<typeof documentErrors.not_found>): WriteDecision {
  return { kind: 'done', outcome: { status: 'failed', error } };
}

/** The document as JSON text with the metadata in front: the user's JSON is kept byte for byte. */
export function toSourceLine({ id, json, version, meta }: StoredText): string {
  const known = Object.entries(meta).filter(([, value]) => value !== null);
  const kept = {
    [METADATA]: { v: version, id },
    ...(known.length > 0 && { [DOCUMENT_METADATA]: Object.fromEntries(known) }),
  };
  return `${JSON.stringify(kept).slice(0, -1)}${json === '{}' ? '' : ','}${json.slice(1)}`;
}
