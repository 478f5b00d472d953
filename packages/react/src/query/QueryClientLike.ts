/** The part of a `Query` of TanStack Query that is used. */
export interface QueryLike {
  readonly queryKey: readonly unknown[];
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly state: { readonly fetchStatus: string };
  getObserversCount(): number;
}

/** The part of a `QueryCache` that is used. */
export interface QueryCacheLike {
  getAll(): readonly QueryLike[];
  subscribe(listener: (event: { readonly type: string; readonly query: QueryLike }) => void): () => void;
}

/** The part of a `QueryClient` that is used: version 5 of TanStack Query for React, Vue, Svelte, Solid and Angular has it. */
export interface QueryClientLike {
  getQueryCache(): QueryCacheLike;
  setQueryData(queryKey: readonly unknown[], data: unknown): unknown;
  refetchQueries(
    filters: { readonly queryKey: readonly unknown[]; readonly exact: true },
    options: { readonly cancelRefetch: false },
  ): Promise<void>;
}
