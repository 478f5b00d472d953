import { MillraceError, type ErrorExtras } from './MillraceError.js';

/** One row of a registry: the status and how the message is made from its parameters. */
export interface ErrorRow<P> {
  /** HTTP-like status, 400 to 599 (206 for a partial success). */
  readonly status: number;
  readonly message: (parameters: P) => string;
}

// `never` lets rows with different parameter types stand in one record.
type ErrorRows = Readonly<Record<string, ErrorRow<never>>>;

/** Makes one kind of registered error; its `id` and `status` can be read for documentation and tests. */
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
 * @param domain the prefix a client knows (`document`), not the package; ids are `<domain>.<row>` and never change
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
