/** The controller whose actions take rights on documents. */
export const DOCUMENT_CONTROLLER = 'document';

/** Actions that read within a right on documents. */
export const READING_ACTIONS: ReadonlySet<string> = new Set(['get', 'search', 'count', 'explain']);

/** Actions that write within a right on documents. */
export const WRITING_ACTIONS: ReadonlySet<string> = new Set([
  'create',
  'createOrReplace',
  'replace',
  'update',
  'upsert',
  'delete',
  'deleteByQuery',
  'updateByQuery',
]);

/** Actions whose documents are judged by another action: those of `mGet` by `get`. They are granted as a whole. */
export const OUTER_ACTIONS: ReadonlySet<string> = new Set([
  'mGet',
  'mCreate',
  'mCreateOrReplace',
  'mReplace',
  'mUpdate',
  'mDelete',
  'scroll',
  'validate',
]);

/** Whether a right on documents grants the action within its limits. */
export function isLimitable(controller: string, action: string): boolean {
  return (
    controller === DOCUMENT_CONTROLLER &&
    (READING_ACTIONS.has(action) || WRITING_ACTIONS.has(action) || OUTER_ACTIONS.has(action))
  );
}
