import { defineErrors } from '@millrace/kernel';

/** Errors of server-sent events. */
export const sseErrors = defineErrors('sse', {
  invalid_ticket: {
    status: 401,
    message: () => 'ticket: unknown, expired, already used or of a page of another origin; POST /_ticket creates one',
  },
});
