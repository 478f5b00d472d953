import { defineErrors } from '@millrace/kernel';

/** A plugin registers the errors that it raises: identifier, status, message. Messages never repeat a key. */
export const apiKeyErrors = defineErrors('apiKey', {
  refused: {
    status: 400,
    message: (p: { problem: string }) => `key: ${p.problem}`,
  },
});
