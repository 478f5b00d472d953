import type { Config } from '@millrace/kernel';

/** What `millrace doctor` has found. */
export interface Finding {
  /** Stable, such as `port-taken`. */
  readonly id: string;
  /** `error`: the server can't start, or loses or reveals data. */
  readonly level: 'ok' | 'warning' | 'error';
  /** What was seen. */
  readonly saw: string;
  /** What to do; empty if nothing is wrong. */
  readonly mend: string;
}

/** What is examined. */
export interface DoctorContext {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The current folder, which relative paths refer to. */
  readonly folder: string;
  /** The keys of secrets that the configuration file sets, and its path. */
  readonly configFile: string | undefined;
  readonly secretsInFile: readonly string[];
}

export const ok = (id: string, saw: string): Finding => ({ id, level: 'ok', saw, mend: '' });
export const warning = (id: string, saw: string, mend: string): Finding => ({
  id,
  level: 'warning',
  saw,
  mend,
});
export const fault = (id: string, saw: string, mend: string): Finding => ({
  id,
  level: 'error',
  saw,
  mend,
});
