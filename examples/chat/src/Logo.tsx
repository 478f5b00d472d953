export function Logo() {
  return (
    <span className="logo" aria-hidden="true">
      <svg viewBox="0 0 32 32">
        <path
          className="bubble"
          d="M6 4h20a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4H14l-7 6v-6H6a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z"
        />
        <path className="waves" d="M8 11.5c2.7-2.7 5.3-2.7 8 0s5.3 2.7 8 0M8 17c2.7-2.7 5.3-2.7 8 0s5.3 2.7 8 0" />
      </svg>
      Chat
    </span>
  );
}
