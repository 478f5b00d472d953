import type { ChangeOrigin, Request } from '@millrace/kernel';

/** Options of a write. */
export interface CommitOptions {
  /** Resolve when searches see the writes (`refresh: wait_for`). */
  readonly refresh: boolean;
  /** The origin that notifications carry; null: subscribers aren't notified (`silent`). */
  readonly origin: ChangeOrigin | null;
  /**
   * The request that makes the write, for the metadata of documents and the plugins that observe them; null: an
   * internal write.
   */
  readonly request: Request | null;
  /** The action on documents whose right applies (SEC-87). */
  readonly action?: string;
}

/** The options that a request specifies. */
export function toCommitOptions(
  request: Request,
  args: { readonly refresh?: boolean | undefined; readonly silent?: boolean | undefined },
): CommitOptions & { readonly request: Request; readonly action: string } {
  return {
    refresh: args.refresh === true,
    origin: args.silent === true ? null : request,
    request,
    action: request.action,
  };
}
