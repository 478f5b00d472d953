import { defineConfig } from 'vite';

export default defineConfig({
  // `npm run dev` next to `npm start`: the page with each change at once, the data from the server.
  server: { proxy: { '/api': { target: 'http://127.0.0.1:3000', ws: true } } },
});
