/** In Node.js: the timer doesn't hold a program open. */
export function unref(timer: ReturnType<typeof setTimeout>): ReturnType<typeof setTimeout> {
  (timer as unknown as { unref?: () => void }).unref?.();
  return timer;
}
