import { useState, type FormEvent, type KeyboardEvent } from 'react';
import { Avatar } from './Avatar';
import { messages } from './client';
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
  const { id, source, meta } = message;
  const [isEditing, setEditing] = useState(false);
  const sentAt = new Date(meta.createdAt ?? 0);
  return (
    <>
      {isFirstOfDay && (
        <li className="day">
          <span>{DAY.format(sentAt)}</span>
        </li>
      )}
      <li className={isFollowing ? 'message following' : 'message'} data-message={id}>
        {isFollowing ? <span className="avatar-space" /> : <Avatar name={source.author} />}
        <div className="content">
          {!isFollowing && (
            <p className="heading">
              <strong>{source.author}</strong>{' '}
              <time dateTime={sentAt.toISOString()}>{TIME.format(sentAt)}</time>
            </p>
          )}
          {isEditing ? (
            <EditForm message={message} onDone={() => setEditing(false)} />
          ) : (
            <p className="text">
              {source.text} {meta.updatedAt !== null && <small>(edited)</small>}
            </p>
          )}
        </div>
        {isOwn && !isEditing && (
          <div className="tools">
            <button onClick={() => setEditing(true)}>Edit</button>
            <button
              onClick={() => {
                if (confirm('Delete this message?')) void messages.delete(id);
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

function EditForm({ message, onDone }: { message: ShownMessage; onDone(): void }) {
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const text = (new FormData(event.currentTarget).get('text') as string).trim();
    if (text !== '' && text !== message.source.text) await messages.update(message.id, { text });
    onDone();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') onDone();
  }
  return (
    <form className="edit" onSubmit={(event) => void submit(event)} onKeyDown={onKeyDown}>
      <input
        name="text"
        aria-label="The message"
        defaultValue={message.source.text}
        maxLength={4000}
        autoFocus
      />
      <button className="primary">Save</button>
      <button type="button" onClick={onDone}>
        Cancel
      </button>
    </form>
  );
}
