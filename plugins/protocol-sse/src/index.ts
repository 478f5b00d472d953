export { sseConfig, type SseConfig } from './config.js';
export { sse } from './sse.js';
