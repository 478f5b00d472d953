import type { DocumentRight } from '@millrace/kernel';

/** Of subscribers that are notified of published messages only. */
export const NO_DOCUMENTS: DocumentRight = { key: '[]', grants: [] };
