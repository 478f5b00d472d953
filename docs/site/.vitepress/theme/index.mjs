import DefaultTheme from 'vitepress/theme';
import './pages.css';

export default DefaultTheme;
