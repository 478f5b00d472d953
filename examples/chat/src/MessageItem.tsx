import { useState, type FormEvent, type KeyboardEvent } from 'react';
import { Avatar } from './Avatar';
import { messages } from './client';
import { timeOf } from './timeOf';
import type { ShownMessage } from './useMessages';

const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

interface Props {
  readonly message: ShownMessage;
  readonly isOwn: boolean;
  readonly isFirstOfDay: boolean;
  /** The message before is of the same author, a moment ago. */
  readonly isFollowing: boolean;
}

export function MessageItem({ message, isOwn, isFirstOfDay, isFollowing }: Props) {
  const { id, source, meta, state } = message;
  const [isEditing, setEditing] = useState(false);
  const sentAt = timeOf(message);
  return (
    <>
      {isFirstOfDay && (
        <li className="day">
          <span>{DAY.format(sentAt)}</span>
        </li>
      )}
      {/* A tap gives it the focus, which shows its tools. */}
      <li
        className={isFollowing ? 'message following' : 'message'}
        data-state={state}
        tabIndex={isOwn ? -1 : undefined}
      >
        {isFollowing ? <span className="avatar-space" /> : <Avatar name={source.author} />}
        <div className="content">
          {!isFollowing && (
            <p className="heading">
              <strong>{source.author}</strong> <time dateTime={sentAt.toISOString()}>{TIME.format(sentAt)}</time>
            </p>
          )}
          {isEditing ? (
            <EditForm message={message} onDone={() => setEditing(false)} />
          ) : (
            <p className="text">
              {source.text} {typeof meta?.updatedAt === 'number' && <small>(edited)</small>}
            </p>
          )}
          <SendState message={message} />
        </div>
        {isOwn && !isEditing && (
          <div className="tools">
            <button onClick={() => setEditing(true)}>Edit</button>
            <button
              onClick={() => {
                if (confirm('Delete this message?')) void messages.offline.delete(id);
              }}
            >
              Delete
            </button>
          </div>
        )}
      </li>
    </>
  );
}

/** What the server doesn't have yet, or has refused. */
function SendState({ message: { id, state, error } }: { readonly message: ShownMessage }) {
  if (state === 'synced') return null;
  if (state === 'pending') return <p className="pending">Not sent yet</p>;
  return (
    <p className="problem" role="alert">
      Not sent: {error?.message}{' '}
      <button className="link" onClick={() => void messages.offline.retry(id)}>
        Try again
      </button>{' '}
      <button className="link" onClick={() => void messages.offline.discard(id)}>
        Discard
      </button>
    </p>
  );
}

function EditForm({ message, onDone }: { message: ShownMessage; onDone(): void }) {
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const text = (new FormData(event.currentTarget).get('text') as string).trim();
    if (text !== '' && text !== message.source.text) await messages.offline.update(message.id, { text });
    onDone();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') onDone();
  }
  return (
    <form className="edit" onSubmit={(event) => void submit(event)} onKeyDown={onKeyDown}>
      <input name="text" aria-label="The message" defaultValue={message.source.text} maxLength={4000} autoFocus />
      <button className="primary">Save</button>
      <button type="button" onClick={onDone}>
        Cancel
      </button>
    </form>
  );
}
