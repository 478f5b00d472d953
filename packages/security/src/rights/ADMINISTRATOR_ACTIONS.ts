import type { ActionNames } from './ActionNames.js';

/** Reserved to users with profile `admin`, whatever their roles say (SEC-34). */
export const ADMINISTRATOR_ACTIONS: ActionNames = {
  server: ['getConfig'],
  index: ['refreshInternal'],
  security: ['getUserMapping', 'updateUserMapping', 'explainRights'],
  collection: ['getUserMapping', 'updateUserMapping'],
};
