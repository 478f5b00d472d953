import { defineLibrary } from '@millrace/kernel';

/** Imported for the first token, and at the start for keys that are pairs. */
export const JOSE = defineLibrary('jose', () => import('jose'));

/** Imported for the first login with a strategy of passport. */
export const PASSPORT = defineLibrary('passport', () => import('./login/createPassport.js'));
