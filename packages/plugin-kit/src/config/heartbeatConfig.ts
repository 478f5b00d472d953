import { integerBetween, type ConfigSchema } from '@millrace/kernel';

/** The key `heartbeatMs` for the section of a protocol with heartbeats. */
export function heartbeatConfig(): ConfigSchema {
  return {
    heartbeatMs: {
      doc: 'Time between two heartbeats after client.hello, in milliseconds',
      format: integerBetween(10, 86_400_000),
      default: 25_000,
    },
  };
}
