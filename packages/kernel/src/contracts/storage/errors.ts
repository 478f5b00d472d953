import { defineErrors } from '../../errors/defineErrors.js';

/** Errors of the document storage and its engines. */
export const storageErrors = defineErrors('storage', {
  unavailable: {
    status: 503,
    message: (p: { reason: string }) => `The document storage is unavailable: ${p.reason}`,
  },
  corrupt: {
    status: 500,
    message: (p: { index: string; collection: string; id: string }) =>
      `The stored document "${p.id}" of "${p.index}/${p.collection}" is damaged: its checksum does not match`,
  },
  damaged_ids: {
    status: 503,
    message: (p: { index: string; collection: string }) =>
      `The index of document ids of "${p.index}/${p.collection}" is damaged: writes and reads of unknown ids are refused until it is rebuilt; the server's log has the remedy`,
  },
  index_not_found: {
    status: 404,
    message: (p: { index: string }) => `No index "${p.index}"`,
  },
  index_exists: {
    status: 409,
    message: (p: { index: string }) => `Index "${p.index}" already exists`,
  },
  collection_not_found: {
    status: 404,
    message: (p: { index: string; collection: string }) => `No collection "${p.collection}" in index "${p.index}"`,
  },
  invalid_name: {
    status: 400,
    message: (p: { what: string; value: string; expected: string }) =>
      `Invalid ${p.what} ${JSON.stringify(p.value)}: expected ${p.expected}`,
  },
  invalid_mapping: {
    status: 400,
    message: (p: { reason: string }) => `Invalid mapping: ${p.reason}`,
  },
  internal_index: {
    status: 403,
    message: () => 'The internal index is out of reach of every request',
  },
});

/** Errors about single documents. */
export const documentErrors = defineErrors('document', {
  not_found: {
    status: 404,
    message: (p: { index: string; collection: string; id: string }) =>
      `No document "${p.id}" in "${p.index}/${p.collection}"`,
  },
  already_exists: {
    status: 409,
    message: (p: { index: string; collection: string; id: string }) =>
      `A document "${p.id}" already exists in "${p.index}/${p.collection}"`,
  },
  version_conflict: {
    status: 409,
    message: (p: { id: string; expected: number; actual: number }) =>
      `Document "${p.id}" has version ${p.actual}, not ${p.expected} (ifVersion)`,
  },
  precondition_failed: {
    status: 412,
    message: (p: { index: string; collection: string; id: string; expected: string }) =>
      `The precondition of the request does not hold for document "${p.id}" in "${p.index}/${p.collection}": expected ${p.expected}`,
  },
  invalid_value: {
    status: 400,
    message: (p: { reason: string }) => `The document does not fit the mapping: ${p.reason}`,
  },
  reserved_key: {
    status: 400,
    message: (p: { key: string }) =>
      `Document key ${JSON.stringify(p.key)} is reserved: keys at the top of a document must not begin with "_"`,
  },
  partial_failure: {
    status: 206,
    message: (p: { failed: number; total: number }) => `${p.failed} of ${p.total} items failed`,
  },
});

/** Errors of the search language, the same for every engine (SEARCH-91). */
export const queryErrors = defineErrors('query', {
  invalid: { status: 400, message: (p: { reason: string }) => p.reason },
  forbidden: { status: 400, message: (p: { reason: string }) => p.reason },
  window_too_large: { status: 400, message: (p: { reason: string }) => p.reason },
  result_too_large: {
    status: 400,
    message: (p: { maxBytes: number }) =>
      `The result has more than ${p.maxBytes / 1_048_576} MiB: ask for fewer documents at a time ("from" and "size", or scroll), or for parts of them ("_source")`,
  },
  // Nginx's status for a connection closed by the client.
  cancelled: {
    status: 499,
    message: () => 'The search was cancelled before it was done',
  },
  scroll_not_found: {
    status: 404,
    message: () => 'No such scroll: it is unknown, has expired or was superseded by a newer page',
  },
  too_many_scrolls: {
    status: 429,
    message: (p: { limit: number }) =>
      `Too many open scrolls: at most ${p.limit} at a time, and 64 MiB of memory for their searches. Read them to the end or let them expire`,
  },
});
