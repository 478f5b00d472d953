import { useDocument } from '@millrace/react';
import { useState } from 'react';
import { messages, rooms } from './client';
import { Composer } from './Composer';
import { ConnectionState } from './ConnectionState';
import { FoundMessages } from './FoundMessages';
import { MessageList } from './MessageList';
import { PresentUsers } from './PresentUsers';
import { useActivity } from './useActivity';
import { useMessages } from './useMessages';

export function RoomPage({ roomId, user }: { readonly roomId: string; readonly user: string }) {
  const { data: room } = useDocument(rooms, roomId);
  const history = useMessages(roomId);
  // Published messages have no rights on documents: who is in a private room, and typing, is no one else's business.
  const isPublic = room !== undefined && room?.source.members === undefined;
  const { present, typing, reportTyping } = useActivity(roomId, user, isPublic);
  const [words, setWords] = useState('');

  async function send(text: string) {
    // Stored in the browser until the server has it, over reloads too.
    await messages.offline.create({ room: roomId, author: user, text });
  }

  if (room === null) {
    return (
      <main className="room empty">
        <p>There is no such room.</p>
        <a href="#">All rooms</a>
      </main>
    );
  }
  return (
    <main className="room">
      <header>
        <a className="back" href="#" aria-label="All rooms">
          ‹
        </a>
        <h1>{room?.source.name ?? ' '}</h1>
        {isPublic ? (
          <PresentUsers label="Here now" names={present} />
        ) : (
          <PresentUsers label="Members" names={room?.source.members ?? []} />
        )}
        <input
          type="search"
          aria-label="Search this room"
          placeholder="Search"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </header>
      <ConnectionState />
      {words.trim() === '' ? (
        <MessageList {...history} user={user} />
      ) : (
        <FoundMessages room={roomId} words={words.trim()} />
      )}
      <p className="typing" aria-live="polite">
        {typingLine(typing)}
      </p>
      <Composer roomName={room?.source.name ?? ''} onSend={send} onTyping={reportTyping} />
    </main>
  );
}

function typingLine(names: readonly string[]): string {
  if (names.length === 0) return '';
  if (names.length > 3) return 'Several people are typing…';
  return `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} typing…`;
}
