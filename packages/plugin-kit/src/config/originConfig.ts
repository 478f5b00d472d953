import type { ConfigSchema } from '@millrace/kernel';
import { webOrigins } from './origins.js';

/**
 * The key `cors.origin` for the section of a protocol that browsers connect to. Until the first administrator exists,
 * pages of foreign sites are refused regardless of its value (SEC-4).
 */
export function originConfig(): ConfigSchema {
  return {
    cors: {
      origin: {
        doc: 'Origins whose pages may connect: "*", or a list; empty for none. Credentials are never allowed',
        format: webOrigins,
        default: '*',
      },
    },
  };
}
