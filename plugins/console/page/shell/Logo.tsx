/** The logo of the start page. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0b6e75" />
      <g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round">
        <path d="M6 11q5-5 10 0t10 0" />
        <path d="M6 17q5-5 10 0t10 0" opacity=".75" />
        <path d="M6 23q5-5 10 0t10 0" opacity=".5" />
      </g>
    </svg>
  );
}
