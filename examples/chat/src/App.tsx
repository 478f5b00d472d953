import { ChatPage } from './ChatPage';
import { LoginPage } from './LoginPage';
import { useUser } from './useUser';

export function App() {
  const user = useUser();
  if (user === undefined) return null;
  return user === null ? <LoginPage /> : <ChatPage user={user} />;
}
