import 'reflect-metadata';

export { realtimeModule } from './realtimeModule.js';
export { realtimeConfig, REALTIME_CONFIG, type RealtimeConfig } from './config.js';
export { NOTIFICATIONS, type NotificationKind } from './NOTIFICATIONS.js';
