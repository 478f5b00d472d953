import type { ActionNames } from './ActionNames.js';

/** Reserved to administrators, whatever roles say (SEC-34): what they return or copy ignores the rights of the caller. */
export const ADMINISTRATOR_ACTIONS: ActionNames = {
  server: ['getConfig', 'getLogs', 'backup', 'downloadBackup', 'move', 'moveState', 'cancelMove'],
  index: ['refreshInternal'],
  security: ['getUserMapping', 'updateUserMapping', 'explainRights'],
  collection: ['getUserMapping', 'updateUserMapping'],
};
