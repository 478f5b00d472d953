import { isError, NetworkError } from '@millrace/client';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Loaded } from './useLoad.js';

/** What to do after an error, by its id or its status. */
const REMEDIES: Readonly<Record<string, string>> = {
  401: 'Sign in again.',
  'auth.login_needed': 'Sign in. On a server without an administrator, create the first one.',
  403: 'An administrator can give you the right: People, Roles.',
  404: 'It may have been deleted since. Reload the list.',
  409: 'Read it again, then repeat the change.',
  429: 'Wait a little, then try again.',
  503: 'The server is overloaded or a part of it is down: see Server, Health.',
  'security.address_refused': 'Add your address to console.allow in the configuration.',
};

/** Shown in place of content while it is loaded; nothing in the first moment. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="loading" data-state="loading" role="status" aria-label="Loading">
      {isShown && Array.from({ length: lines }, (_, line) => <div class="skeleton" key={line} />)}
    </div>
  );
}

/** An empty list: what it means, and what to do next. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty" data-state="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** An error in place of the content: what happened, what to do, and how to find it in the log. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: (() => void) | undefined }) {
  const known = isError(error) ? error : undefined;
  const remedy = known === undefined ? undefined : (REMEDIES[known.id] ?? REMEDIES[known.status]);
  const isRefused = known?.status === 403 || known?.status === 401;
  return (
    <div class="failed" data-state={isRefused ? 'no-right' : 'error'} role="alert">
      <p class="failed-title">
        {error instanceof NetworkError
          ? 'The server can’t be reached'
          : isRefused
            ? 'You may not do this'
            : 'That did not work'}
      </p>
      <p>
        <bdi>{messageOf(error)}</bdi>
      </p>
      {remedy !== undefined && <p class="soft">{remedy}</p>}
      {known !== undefined && (
        <p class="soft small">
          <code>{known.id}</code> · status {known.status} · request <code>{known.requestId}</code>
        </p>
      )}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** What was loaded; until then, or after an error, its state. */
export function Show<T>({
  loaded: { value, error, reload },
  lines = 4,
  frame,
  children,
}: {
  readonly loaded: Pick<Loaded<T>, 'value' | 'error' | 'reload'>;
  /** Of the skeleton. */
  readonly lines?: number;
  /** Class of an element around the state. */
  readonly frame?: string | undefined;
  readonly children: (value: T) => ComponentChildren;
}) {
  if (error === undefined && value !== undefined) return <>{children(value)}</>;
  const state = error === undefined ? <Loading lines={lines} /> : <Failed error={error} retry={reload} />;
  return frame === undefined ? state : <div class={frame}>{state}</div>;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
