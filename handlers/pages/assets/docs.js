// "Try it" sends the request to this host and shows the answer.

const LONGEST = 4000; // characters

async function answerOf(target) {
  if (!target.startsWith('/v1/')) return 'Only addresses below /v1/ can be tried here.';
  const response = await fetch(target, { credentials: 'omit' });
  const type = response.headers.get('Content-Type') ?? '';
  const head = `${response.status} ${type}`;
  if (!type.startsWith('application/json')) return `${head}\n\n(a file)`;
  const text = JSON.stringify(await response.json(), null, 2);
  return `${head}\n\n${text.length > LONGEST ? `${text.slice(0, LONGEST)}\n…` : text}`;
}

document.addEventListener('submit', async (event) => {
  const form = event.target.closest('[data-try]');
  if (!form) return;
  event.preventDefault();
  const block = document.createElement('pre');
  block.tabIndex = 0;
  block.setAttribute('aria-label', 'Answer');
  try {
    block.textContent = await answerOf(form.querySelector('input').value.trim());
  } catch {
    block.textContent = 'There was no answer.';
  }
  form.querySelector('output').replaceChildren(block);
});
