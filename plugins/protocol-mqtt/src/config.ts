import { integerBetween, type ConfigSchema } from '@millrace/kernel';
import { connectionConfig, withDefaults, type ConnectionConfig } from '@millrace/plugin-kit';

/** The values of section `mqtt`, as validated by `mqttConfig`. */
export interface MqttConfig extends ConnectionConfig {
  readonly maxKeepAliveMs: number;
  readonly connectTimeoutMs: number;
}

/**
 * Configuration keys of section `mqtt`.
 * @param defaults a program's defaults, replacing the built-in ones; file, environment and flags override them
 */
export function mqttConfig(defaults: Partial<MqttConfig> = {}): ConfigSchema {
  const schema: ConfigSchema = {
    ...connectionConfig('MQTT', 1883),
    maxKeepAliveMs: {
      doc: 'Longest keep-alive, in milliseconds: clients that ask for a longer one, or for none, get this',
      format: integerBetween(1_000, 65_535_000),
      default: 3_600_000,
    },
    connectTimeoutMs: {
      doc: 'Time for a client to send its CONNECT packet, in milliseconds',
      format: integerBetween(10, 86_400_000),
      default: 10_000,
    },
  };
  return withDefaults(schema, defaults, 'mqtt');
}
