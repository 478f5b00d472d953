import { MessageItem } from './MessageItem';
import { timeOf } from './timeOf';
import type { ShownMessage, useMessages } from './useMessages';

/** Messages of one author within this time have one heading. */
const TOGETHER_MS = 5 * 60_000;

type Props = ReturnType<typeof useMessages> & { readonly user: string };

export function MessageList({ list, error, hasOlder, readOlder, readNewest, user }: Props) {
  if (error !== undefined && list === undefined) {
    return (
      <div className="messages">
        <p className="hint" role="alert">
          The messages can’t be read.{' '}
          <button className="link" onClick={() => void readNewest()}>
            Try again
          </button>
        </p>
      </div>
    );
  }
  return (
    // Its content begins at the bottom (styles.css), and stays there when messages are added above.
    <div className="messages" tabIndex={0} role="log" aria-label="Messages">
      <ol>
        {hasOlder && (
          <li className="older">
            <button onClick={() => void readOlder()}>Older messages</button>
          </li>
        )}
        {list?.length === 0 && <li className="hint">No messages yet. Write the first one.</li>}
        {list?.map((message, at) => {
          const before = list[at - 1];
          return (
            <MessageItem
              key={message.id}
              message={message}
              isOwn={message.source.author === user}
              isFirstOfDay={dayOf(before) !== dayOf(message)}
              isFollowing={isTogether(before, message)}
            />
          );
        })}
      </ol>
    </div>
  );
}

function dayOf(message: ShownMessage | undefined): string {
  return message === undefined ? '' : timeOf(message).toDateString();
}

function isTogether(before: ShownMessage | undefined, message: ShownMessage): boolean {
  if (before === undefined || before.source.author !== message.source.author) return false;
  const isSoon = timeOf(message).getTime() - timeOf(before).getTime() < TOGETHER_MS;
  return isSoon && dayOf(before) === dayOf(message);
}
