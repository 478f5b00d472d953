export {
  connectionConfig,
  maxConnectionsPerAddress,
  slowClientConfig,
  type ConnectionConfig,
} from './config/connectionConfig.js';
export { heartbeatConfig } from './config/heartbeatConfig.js';
export { originConfig } from './config/originConfig.js';
export { parseOrigins } from './config/origins.js';
export { readProviders, readProviderUsers, type ProviderUsers } from './config/readProviders.js';
export { SettingsReader } from './config/SettingsReader.js';
export { isTls, tlsConfig, type TlsConfig } from './config/tlsConfig.js';
export { withDefaults } from './config/withDefaults.js';

export { answerClientError } from './sockets/answerClientError.js';
export { ChannelTable, type ChannelListener, type SizedMessage } from './sockets/ChannelTable.js';
export { CLOSE_CODES, type CloseCode } from './sockets/CLOSE_CODES.js';
export { ConnectionSet, type HeldConnection } from './sockets/ConnectionSet.js';
export { DrainWait } from './sockets/DrainWait.js';
export { Heartbeat, heartbeatOf, type HeartbeatMessage } from './sockets/Heartbeat.js';
export { HeldBytes } from './sockets/HeldBytes.js';
export { listenOn, type ListenOptions } from './sockets/listenOn.js';
export { logSlowConsumer } from './sockets/logSlowConsumer.js';
export { OriginList } from './sockets/OriginList.js';
export { Outbox, type OutboxLimits, type OutboxTarget } from './sockets/Outbox.js';
export { refuseUpgrade } from './sockets/refuseUpgrade.js';
export { RequestPump, type RequestPumpOptions, type SendAnswer } from './sockets/RequestPump.js';

export { createWebServer } from './tls/createWebServer.js';
export { onSocket } from './tls/onSocket.js';
export { TlsFiles } from './tls/TlsFiles.js';
