import { defineLibrary } from '@millrace/kernel';

/** Imported for the first client. */
export const AEDES = defineLibrary('aedes', () => import('aedes'));
