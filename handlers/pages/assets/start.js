// Makes the line of the first administrator from a Steam ID. Nothing is sent.

const line = document.getElementById('admin-line');
const input = document.getElementById('steam-id');
const sample = line?.textContent;

input?.addEventListener('input', () => {
  const [id] = /(?:STEAM|VALVE)_\d:[01]:\d{1,10}/.exec(input.value.toUpperCase()) ?? [];
  line.textContent = id ? sample.replace(/STEAM_[\d:]+/, id) : sample;
  input.setAttribute('aria-invalid', String(!id && input.value.trim() !== ''));
});
