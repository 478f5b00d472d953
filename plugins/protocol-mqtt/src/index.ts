export { mqttConfig, type MqttConfig } from './config.js';
export { mqtt } from './mqtt.js';
