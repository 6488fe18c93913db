// Before the first paint: the colours that were chosen here, and that scripts run.
const root = document.documentElement;
root.classList.add('js');
try {
  const chosen = localStorage.getItem('theme');
  if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
} catch {
  // Storage is off: the system's colours.
}
