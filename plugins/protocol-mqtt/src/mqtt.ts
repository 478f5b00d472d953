import { definePlugin, type Plugin } from '@millrace/kernel';
import { mqttConfig, type MqttConfig } from './config.js';
import { AEDES } from './AEDES.js';
import { MqttProtocol } from './MqttProtocol.js';

/**
 * Plugin that lets clients connect over MQTT 3.1 and 3.1.1 (PROTO-60): requests to the topic named after the service,
 * responses on `mqtt.<client id>`, notifications on the channel.
 * @param options defaults of its configuration keys (section `mqtt`); file, environment and flags override them
 */
export function mqtt(options: Partial<MqttConfig> = {}): Plugin {
  return definePlugin({
    name: 'protocol-mqtt',
    kernel: '^0.1.0',
    config: { mqtt: mqttConfig(options) },
    libraries: [AEDES],
    setup(host) {
      const protocol = new MqttProtocol(host.config.mqtt as unknown as MqttConfig);
      host.protocol(protocol);
      host.hook('auth.loggedOut', ({ session }) => protocol.expectRevocations(session.userId));
      host.hook('auth.tokensRevoked', ({ userId }) => protocol.expectRevocations(userId));
      host.hook('security.apiKeyChanged', ({ userId }) => protocol.expectRevocations(userId));
      host.hook('security.changedElsewhere', ({ userId, revokes }) => {
        if (revokes) protocol.expectRevocations(userId);
      });
    },
  });
}
