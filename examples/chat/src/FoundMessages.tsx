import { useFollow } from '@millrace/react';
import { Avatar } from './Avatar';
import { messages } from './client';

const WHEN = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

interface Props {
  readonly room: string;
  readonly words: string;
}

/** The messages of a room with these words, newest first. New ones appear by themselves. */
export function FoundMessages({ room, words }: Props) {
  const { data, status } = useFollow(messages, {
    query: {
      bool: {
        filter: { term: { room } },
        must: { match: { text: { query: words, operator: 'and' } } },
      },
    },
    sort: [{ '_meta.createdAt': 'desc' }],
    size: 50,
  });
  return (
    <section className="messages found" aria-label="Messages found">
      <p className="hint" role="status">
        {status === 'loading' ? 'Searching…' : `${data?.total ?? 0} found`}
      </p>
      <ol>
        {data?.hits.map(({ id, source, meta }) => (
          <li className="message" key={id}>
            <Avatar name={source.author} />
            <div className="content">
              <p className="heading">
                <strong>{source.author}</strong> <time>{WHEN.format(meta.createdAt ?? 0)}</time>
              </p>
              <p className="text">{source.text}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
