export { websocketConfig, type WebsocketConfig } from './config.js';
export { websocket } from './websocket.js';
