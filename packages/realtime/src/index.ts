import 'reflect-metadata';

export { realtimeConfig, REALTIME_CONFIG, type RealtimeConfig } from './config.js';
export { registerRealtime } from './registerRealtime.js';
export { realtimeActions } from './realtimeActions.js';
export { realtimeLifecycles, realtimeSharing } from './realtimeLifecycles.js';
export { NOTIFICATIONS, type NotificationKind } from './NOTIFICATIONS.js';
