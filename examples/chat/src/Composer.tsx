import { useRef, useState, type FormEvent, type KeyboardEvent } from 'react';

interface Props {
  readonly roomName: string;
  onSend(text: string): Promise<void>;
  onTyping(isTyping: boolean): void;
}

export function Composer({ roomName, onSend, onTyping }: Props) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const form = useRef<HTMLFormElement>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    const sent = text.trim();
    if (sent === '') return;
    setText('');
    setProblem('');
    onTyping(false);
    try {
      await onSend(sent);
    } catch {
      setText(sent);
      setProblem('The browser can’t store the message.');
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    // Enter that ends the choice of a character (isComposing) is no end of the message.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    form.current?.requestSubmit();
  }

  return (
    <form ref={form} className="composer" onSubmit={(event) => void submit(event)}>
      <textarea
        rows={1}
        aria-label="Message"
        placeholder={`Message ${roomName}`}
        value={text}
        maxLength={4000}
        autoFocus
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.target.value);
          onTyping(event.target.value.trim() !== '');
        }}
      />
      <button className="primary" disabled={text.trim() === ''}>
        Send
      </button>
      <p role="alert" className="problem">
        {problem}
      </p>
    </form>
  );
}
