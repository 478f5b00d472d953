import { definePlugin, type Plugin } from '@millrace/kernel';
import { opentelemetryConfig, type OpentelemetryConfig } from './config.js';
import { Traces } from './Traces.js';

/**
 * Plugin that traces requests by the API of OpenTelemetry. The SDK and its exporter belong to the program, and must be
 * registered before the plugin is set up.
 * @param options defaults of its configuration keys (section `opentelemetry`); file, environment and flags override them
 */
export function opentelemetry(options: Partial<OpentelemetryConfig> = {}): Plugin {
  return definePlugin({
    name: 'opentelemetry',
    kernel: '^0.1.0',
    config: { opentelemetry: opentelemetryConfig(options) },
    setup(host) {
      const traces = new Traces(host.config.opentelemetry as unknown as OpentelemetryConfig);
      traces.start();
      host.onStop(() => traces.stop());
    },
  });
}
