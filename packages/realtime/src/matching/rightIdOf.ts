import { hash } from 'node:crypto';
import type { DocumentRight } from '@millrace/kernel';

const DIGITS = 32;

/** Distinguishes rights: the same on every node; '' for the right to all documents. */
export function rightIdOf(right: DocumentRight | null): string {
  return right === null ? '' : hash('sha256', right.key).slice(0, DIGITS);
}
