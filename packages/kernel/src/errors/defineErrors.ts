import { MillraceError, type ErrorExtras } from './MillraceError.js';

/** One row of a registry: the status, and the function that builds the message from its parameters. */
export interface ErrorRow<P> {
  /** HTTP-like status, 400 to 599 (206 for a partial success). */
  readonly status: number;
  readonly message: (parameters: P) => string;
}

// `never` allows rows with different parameter types in one record.
type ErrorRows = Readonly<Record<string, ErrorRow<never>>>;

/** Creates errors of one kind; `id` and `status` are readable for documentation and tests. */
export interface ErrorFactory<P> {
  (parameters: P, extras?: ErrorExtras): MillraceError;
  readonly id: string;
  readonly status: number;
}

/** The factories of one domain, by row name. */
export type ErrorRegistry<R extends ErrorRows> = {
  readonly [K in keyof R]: R[K] extends ErrorRow<infer P> ? ErrorFactory<P> : never;
};

/**
 * Defines the errors of one domain: `throw documentErrors.not_found({ id })`.
 * @param domain the prefix that clients see (`document`), not the package; ids are `<domain>.<row>` and never change
 */
export function defineErrors<const R extends ErrorRows>(domain: string, rows: R): ErrorRegistry<R> {
  const factories: Record<string, ErrorFactory<never>> = {};
  for (const [name, row] of Object.entries(rows)) {
    const id = `${domain}.${name}`;
    const create = (parameters: never, extras?: ErrorExtras) =>
      new MillraceError(id, row.status, row.message(parameters), extras);
    factories[name] = Object.defineProperties(create, {
      id: { value: id },
      status: { value: row.status },
    }) as ErrorFactory<never>;
  }
  return factories as unknown as ErrorRegistry<R>;
}
