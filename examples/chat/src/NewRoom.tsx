import { isError } from '@millrace/client';
import { useState, type FormEvent } from 'react';
import { rooms } from './client';

/** Makes a room: for all, or for some members alone. */
export function NewRoom({ user }: { readonly user: string }) {
  const [isPrivate, setPrivate] = useState(false);
  const [problem, setProblem] = useState('');

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    setProblem('');
    try {
      const name = (data.get('room') as string).trim();
      const id = isPrivate ? await createPrivate(name, user, data.get('members') as string) : await createPublic(name);
      form.reset();
      setPrivate(false);
      location.hash = encodeURIComponent(id);
    } catch (error) {
      setProblem(isError(error) ? error.message : 'The server can’t be reached.');
    }
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
      <label>
        <input type="checkbox" checked={isPrivate} onChange={() => setPrivate(!isPrivate)} /> Private
      </label>
      {isPrivate && (
        <input
          name="members"
          aria-label="Names of the members"
          placeholder="With: grace, alan"
          autoComplete="off"
          autoCapitalize="none"
          required
        />
      )}
      <p role="alert" className="problem">
        {problem}
      </p>
    </form>
  );
}

async function createPublic(name: string): Promise<string> {
  const id = name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');
  try {
    await rooms.create({ name }, { id });
  } catch (error) {
    // Another member was faster: that room is meant.
    if (!isError(error, 'document.already_exists')) throw error;
  }
  return id;
}

/** Its id, which the server makes, says nothing to others. */
async function createPrivate(name: string, user: string, others: string): Promise<string> {
  const names = others
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((each) => each !== '');
  const { id } = await rooms.create({ name, members: [...new Set([user, ...names])] });
  return id;
}
