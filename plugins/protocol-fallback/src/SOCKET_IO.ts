import { defineLibrary } from '@millrace/kernel';

/** Imported for the first client. */
export const SOCKET_IO = defineLibrary('socket.io', () => import('socket.io'));
