export { sse, type SseOptions } from './sse.js';
