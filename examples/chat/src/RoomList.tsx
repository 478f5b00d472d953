import { NewRoom } from './NewRoom';
import { useMentions } from './useMentions';
import { useRooms, type ListedRoom } from './useRooms';

interface Props {
  readonly current: string;
  readonly user: string;
}

export function RoomList({ current, user }: Props) {
  const mentioned = useMentions(user, current);
  return (
    <>
      <ul className="rooms">
        {useRooms().map((listed) => (
          <li key={listed.id}>
            <RoomLink {...listed} isCurrent={listed.id === current} isMentioned={mentioned.has(listed.id)} />
          </li>
        ))}
      </ul>
      <NewRoom user={user} />
    </>
  );
}

interface LinkProps extends ListedRoom {
  readonly isCurrent: boolean;
  readonly isMentioned: boolean;
}

function RoomLink({ id, room, newest, isCurrent, isMentioned }: LinkProps) {
  return (
    <a
      href={`#${encodeURIComponent(id)}`}
      className={room.members === undefined ? 'public' : 'private'}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <span className="name">{room.name}</span>
      {isMentioned && (
        <span className="mention" title="Your name was mentioned">
          @
        </span>
      )}
      {newest !== undefined && (
        <span className="newest">
          {newest.author}: {newest.text}
        </span>
      )}
    </a>
  );
}
