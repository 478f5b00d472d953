import { render } from 'preact';
import { App } from './App.jsx';
import { applyTheme } from './shell/theme.js';
import './style.css';

applyTheme();
const root = document.querySelector('#console');
if (root !== null) render(<App />, root);
