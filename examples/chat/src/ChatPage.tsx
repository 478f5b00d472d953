import { OfflineError } from '@millrace/client/offline';
import { client } from './client';
import { Avatar } from './Avatar';
import { Logo } from './Logo';
import { RoomList } from './RoomList';
import { RoomPage } from './RoomPage';
import { useRoomId } from './useRoomId';

export function ChatPage({ user }: { readonly user: string }) {
  const roomId = useRoomId();
  return (
    // On a phone, either the list or the room is visible.
    <div className={roomId === '' ? 'chat' : 'chat in-room'}>
      <nav className="sidebar" aria-label="Rooms">
        <Logo />
        <RoomList current={roomId} user={user} />
        <div className="account">
          <Avatar name={user} />
          <span className="name">{user}</span>
          <button className="link" onClick={() => void logOut()}>
            Log out
          </button>
        </div>
      </nav>
      {roomId === '' ? (
        <main className="room empty">
          <p>Choose a room, or make one.</p>
        </main>
      ) : (
        <RoomPage key={roomId} roomId={roomId} user={user} />
      )}
    </div>
  );
}

async function logOut() {
  try {
    await client.logout();
  } catch (error) {
    // Without the server, the page has forgotten the login all the same.
    if (!(error instanceof OfflineError)) return;
    if (confirm('Some of what you wrote is not sent yet. Log out and drop it?'))
      await client.logout({ dropOutbox: true }).catch(() => undefined);
  }
}
