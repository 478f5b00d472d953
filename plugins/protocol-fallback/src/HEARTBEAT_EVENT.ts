/** The event of heartbeats (PROTO-47). */
export const HEARTBEAT_EVENT = 'heartbeat';
