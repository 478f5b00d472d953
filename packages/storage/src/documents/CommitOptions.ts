import type { ChangeOrigin, Request } from '@millrace/kernel';

/** How a write is made. */
export interface CommitOptions {
  /** Resolve when searches see the writes (`refresh: wait_for`). */
  readonly refresh: boolean;
  /** What subscribers are told of; null where they are told nothing (`silent`). */
  readonly origin: ChangeOrigin | null;
  /** The request behind it, for the metadata of documents and the plugins that observe them; null: the server's own. */
  readonly request: Request | null;
}

/** The options that a request asks for. */
export function toCommitOptions(
  request: Request,
  args: { readonly refresh?: boolean | undefined; readonly silent?: boolean | undefined },
): CommitOptions & { readonly request: Request } {
  return {
    refresh: args.refresh === true,
    origin: args.silent === true ? null : request,
    request,
  };
}
