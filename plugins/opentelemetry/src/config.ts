import type { ConfigSchema } from '@millrace/kernel';

/** The values of section `opentelemetry`. */
export interface OpentelemetryConfig {
  readonly storage: boolean;
  readonly notifications: boolean;
  readonly trustParent: boolean;
}

/**
 * Configuration keys of section `opentelemetry`.
 * @param defaults a program's defaults, replacing the built-in ones; file, environment and flags override them
 */
export function opentelemetryConfig(defaults: Partial<OpentelemetryConfig> = {}): ConfigSchema {
  return {
    storage: {
      doc: 'Traces the calls of the storage engine that a request makes',
      format: Boolean,
      default: defaults.storage ?? true,
    },
    notifications: {
      doc: 'Traces the notification of subscribers: one span for each change that a request makes. The attributes of the conventions for messaging may still change',
      format: Boolean,
      default: defaults.notifications ?? false,
    },
    trustParent: {
      doc: 'Continues the trace that a request names in traceparent. Every client can then choose trace ids, and that its requests are sampled',
      format: Boolean,
      default: defaults.trustParent ?? false,
    },
  };
}
