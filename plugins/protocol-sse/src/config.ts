import { integerBetween, type ConfigSchema } from '@millrace/kernel';
import { heartbeatConfig, slowClientConfig, withDefaults } from '@millrace/plugin-kit';

/** The values of section `sse`, as validated by `sseConfig`. */
export interface SseConfig {
  readonly heartbeatMs: number;
  readonly maxStreamMs: number;
  readonly maxWaitingBytes: number;
  readonly maxStallMs: number;
}

/**
 * Configuration keys of section `sse`.
 * @param defaults a program's defaults, replacing the built-in ones; file, environment and flags override them
 */
export function sseConfig(defaults: Partial<SseConfig> = {}): ConfigSchema {
  const schema: ConfigSchema = {
    heartbeatMs: {
      ...heartbeatConfig()['heartbeatMs'],
      doc: 'Longest silence of a stream, in milliseconds: then it sends a heartbeat',
      default: 15_000,
    },
    maxStreamMs: {
      doc: 'How long a stream lasts at most, in milliseconds; the client then resumes with a new one',
      format: integerBetween(100, 86_400_000),
      default: 600_000,
    },
    ...slowClientConfig(),
  };
  return withDefaults(schema, defaults, 'sse');
}
