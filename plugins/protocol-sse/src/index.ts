export { sseConfig, type SseConfig } from './config.js';
export { sseErrors } from './errors.js';
export { sse } from './sse.js';
