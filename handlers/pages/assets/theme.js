// Runs before the first paint: sets the colours that the visitor has chosen, and marks that scripts run.
const root = document.documentElement;
root.classList.add('js');
try {
  const chosen = localStorage.getItem('theme');
  if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
} catch {
  // Storage is off: the system's colours are used.
}
