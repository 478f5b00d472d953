import { defineErrors } from '@millrace/kernel';

/** Errors of HTTP itself, below the level of messages; after each answer the connection is closed. */
export const httpErrors = defineErrors('http', {
  malformed: {
    status: 400,
    message: (p: { problem: string }) => `Malformed HTTP request: ${p.problem}`,
  },
  timeout: {
    status: 408,
    message: () => 'The request did not arrive in time: send it faster, or in smaller parts',
  },
  head_too_large: {
    status: 431,
    message: (p: { maxBytes: number }) => `The address and headers of the request are larger than ${p.maxBytes} bytes`,
  },
});
