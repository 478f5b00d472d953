import { ANONYMOUS, type ChangeOrigin, type Request } from '@millrace/kernel';

/** How a write is made. */
export interface CommitOptions {
  /** Resolve when searches see the writes (`refresh: wait_for`). */
  readonly refresh: boolean;
  /** What subscribers are told of; null where they are told nothing (`silent`). */
  readonly origin: ChangeOrigin | null;
  /** The user who writes, for the metadata of documents; null: an anonymous caller. */
  readonly userId: string | null;
}

/** The options that a request asks for. */
export function toCommitOptions(
  request: Request,
  args: { readonly refresh?: boolean | undefined; readonly silent?: boolean | undefined },
): CommitOptions {
  const { _id: userId } = request.user;
  return {
    refresh: args.refresh === true,
    origin: args.silent === true ? null : request,
    userId: userId === ANONYMOUS._id ? null : userId,
  };
}
