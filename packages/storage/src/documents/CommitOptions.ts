import type { ChangeOrigin, Request } from '@millrace/kernel';

/** How a write is made. */
export interface CommitOptions {
  /** Resolve when searches see the writes (`refresh: wait_for`). */
  readonly refresh: boolean;
  /** What subscribers are told of; null where they are told nothing (`silent`). */
  readonly origin: ChangeOrigin | null;
  /** The request behind it, for the plugins that observe documents; null: they don't see it. */
  readonly request: Request | null;
}

/** The options that a request asks for. */
export function toCommitOptions(
  request: Request,
  args: { readonly refresh?: 'wait_for' | undefined; readonly silent?: boolean | undefined },
): CommitOptions & { readonly request: Request } {
  return {
    refresh: args.refresh !== undefined,
    origin: args.silent === true ? null : request,
    request,
  };
}
