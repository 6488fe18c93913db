// Keys without a modifier, which can be switched off: they would be in the way of speech input.
const NAME = 'keys';

function areOn() {
  try {
    return localStorage.getItem(NAME) !== 'off';
  } catch {
    return true;
  }
}

function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input:not([type=checkbox]), select, textarea'));
}

export function useKeys(actions) {
  const box = document.getElementById('use-keys');
  box.checked = areOn();
  box.addEventListener('change', () => {
    try {
      localStorage.setItem(NAME, box.checked ? 'on' : 'off');
    } catch {
      // Until the next page.
    }
  });
  addEventListener('keydown', (event) => {
    if (!box.checked || event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
