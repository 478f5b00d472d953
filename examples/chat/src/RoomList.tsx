import { isError } from '@millrace/client';
import { useSearch } from '@millrace/react';
import { useState, type FormEvent } from 'react';
import { rooms } from './client';

export function RoomList({ current }: { readonly current: string }) {
  // Rooms of others appear by themselves.
  const { data } = useSearch(rooms, { sort: ['name'], size: 200 });
  return (
    <>
      <ul className="rooms">
        {data?.hits.map(({ id, source }) => (
          <li key={id}>
            <a
              href={`#${encodeURIComponent(id)}`}
              aria-current={id === current ? 'page' : undefined}
            >
              {source.name}
            </a>
          </li>
        ))}
      </ul>
      <NewRoom />
    </>
  );
}

function NewRoom() {
  const [problem, setProblem] = useState('');

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const name = (new FormData(form).get('room') as string).trim();
    const id = name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');
    setProblem('');
    try {
      await rooms.create({ name }, { id });
    } catch (error) {
      // Another member was faster: that room is meant.
      if (!isError(error, 'document.already_exists'))
        return setProblem(isError(error) ? error.message : 'The server can’t be reached.');
    }
    form.reset();
    location.hash = encodeURIComponent(id);
  }

  return (
    <form className="new-room" onSubmit={(event) => void submit(event)}>
      <input
        name="room"
        aria-label="Name of a new room"
        placeholder="New room"
        autoComplete="off"
        required
        maxLength={40}
        pattern=".*[\p{L}\p{N}].*"
      />
      <button aria-label="Create the room">+</button>
      <p role="alert" className="problem">
        {problem}
      </p>
    </form>
  );
}
