// What scripts make elements of: values are texts, never markup.

export const byId = (id) => document.getElementById(id);

export function make(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

// Calls `take` with the transfer of what was dropped anywhere on the page. The browser would open it in the place of the page.
export function onDrop(take) {
  for (const type of ['dragover', 'drop']) {
    addEventListener(type, (event) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      if (type === 'drop') take(event.dataTransfer);
    });
  }
}
