import { integerBetween, type ConfigSchema } from '@millrace/kernel';

/** The key `heartbeatMs` for the section of a protocol with heartbeats. */
export function heartbeatConfig(): ConfigSchema {
  return {
    heartbeatMs: {
      doc: 'Longest silence of the server after client.hello, in milliseconds: then it sends a heartbeat',
      format: integerBetween(10, 86_400_000),
      default: 25_000,
    },
  };
}
