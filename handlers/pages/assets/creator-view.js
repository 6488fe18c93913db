// What the creator shows, in the markup of the server's templates.
import { html, nothing } from './lit-html.js';

const grouped = new Intl.NumberFormat('en-US');

export function counted(number, one, many) {
  return `${grouped.format(number)} ${number === 1 ? one : many}`;
}

export function readableSize(bytes) {
  if (bytes < 1000) return counted(bytes, 'byte', 'bytes');
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < 3) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${['KB', 'MB', 'GB', 'TB'][unit]}`;
}

// A block of text with a button that copies it (site.js).
const copyable = (label, text) => html`<div class="copy-frame"><pre tabindex="0" aria-label=${label}><code>${text}</code></pre
  ><button type="button" class="copy" data-copy aria-label=${`Copy: ${label}`}>Copy</button></div>`;

export const problemsView = (problems, solve) => problems.map(({ text, solutions }) => html`
  <section class="panel problem">
    <h2>This does not fit together</h2>
    <p><bdi>${text}</bdi></p>
    <p class="links">${solutions.map((solution) => html`<button type="button" class="small"
      @click=${() => solve(solution)}>${solution.label}</button>`)}</p>
  </section>`);

export const emptyView = () => html`<p class="empty">Nothing is chosen yet. Choose components, or
  <a href="/server">start from the recommended server</a>.</p>`;

export const warningView = (text) => html`<p class="warning">${text}</p>`;

const documentOf = (plan, name) => `/server/${name}${new URL(plan.download_url).search}`;

export const planView = (plan, { query, pinned, pinAll }) => html`
  <section class="panel ready">
    <h2>Your server</h2>
    <p class="total"><strong>${readableSize(plan.total_bytes)}</strong> in ${counted(plan.file_count, 'file', 'files')}</p>
    <p><a class="button" href=${new URL(plan.download_url).pathname + new URL(plan.download_url).search} rel="nofollow"
      id="download">Download the ZIP</a></p>
    <p class="note">Build <code title=${plan.build_hash}>${plan.build_hash.slice(0, 12)}</code>. The same choice always
      gives the same bytes: <a rel="nofollow" href=${documentOf(plan, 'checksums.txt')}>checksums of all files</a>,
      <a rel="nofollow" href=${documentOf(plan, 'sbom.cdx.json')}>bill of materials</a>, <a href="/licenses">licences</a>.</p>
    ${plan.archive_sha256 ? html`<p class="note">SHA-256 of the ZIP: <code>${plan.archive_sha256}</code></p>` : nothing}
    <ul class="chosen">${plan.components.map((each) => html`<li><bdi>${each.name}</bdi>
      <span class="version">${each.version}</span></li>`)}</ul>
    ${(plan.notes ?? []).map((note) => html`<p class="warning"><bdi>${note}</bdi></p>`)}
    <details>
      <summary>Command line and link</summary>
      <p>Download with curl:</p>
      ${copyable('curl command', `curl -fOJ '${plan.download_url}'`)}
      <p>Link to this selection${pinned ? ', with its versions' : ', which follows the latest versions'}:</p>
      ${copyable('Link to this selection', `${location.origin}/server${query ? `?${query}` : ''}`)}
      <p><button type="button" class="quiet small" ?disabled=${pinned} @click=${pinAll}>Pin these versions</button></p>
    </details>
  </section>`;

// Files in nested maps: {folders, files, bytes, count}.
function treeOf(files) {
  const folder = () => ({ folders: new Map(), files: [], bytes: 0, count: 0 });
  const root = folder();
  for (const file of files) {
    const parts = file.path.split('/');
    let place = root;
    for (const [index, part] of parts.entries()) {
      place.bytes += file.size;
      place.count += 1;
      if (index === parts.length - 1) break;
      if (!place.folders.has(part)) place.folders.set(part, folder());
      place = place.folders.get(part);
    }
    place.files.push(file);
  }
  return root;
}

const fileView = (file, query) => html`<li class="file" data-path=${file.path}><a rel="nofollow"
  href=${`/server?${query ? `${query}&` : ''}file=${encodeURIComponent(file.path)}#preview`}
  ><bdi>${file.path.slice(file.path.lastIndexOf('/') + 1)}</bdi></a>
  <span class=${`origin ${file.origin}`} title=${file.from}>${file.from}</span> <small>${readableSize(file.size)}</small></li>`;

const folderView = (folder, query, depth, open) => html`<ul class="tree">
  ${[...folder.folders].map(([name, below]) => html`<li><details class="folder" ?open=${open || depth < 1}>
    <summary><bdi>${name}</bdi> <small>${counted(below.count, 'file', 'files')}, ${readableSize(below.bytes)}</small></summary>
    ${folderView(below, query, depth + 1, open)}</details></li>`)}
  ${folder.files.map((file) => fileView(file, query))}</ul>`;

// `filter`: a part of the path or of the origin.
export function filesView(files, query, filter) {
  const wanted = filter.trim().toLowerCase();
  const shown = files.filter((file) => `${file.path} ${file.from} ${file.origin}`.toLowerCase().includes(wanted));
  if (!shown.length) return html`<p class="empty">No file of the server matches.</p>`;
  return folderView(treeOf(shown), query, 0, wanted !== '');
}

const lines = (diff) => diff.map((line, index) => html`<li class=${line.kind === 'same' ? nothing : line.kind}
  ><span class="number" aria-hidden="true">${index + 1}</span><code>${line.kind === 'added' ? '+ ' : ''}${line.kind === 'removed'
  ? '− ' : ''}${line.text}</code></li>`);

export const previewView = ({ file, diff }, close) => html`
  <section class="panel" id="preview" tabindex="-1" aria-label=${`Preview of ${file.path}`}>
    <div class="heading"><h2 class="path"><bdi>${file.path}</bdi></h2>
      <button type="button" class="quiet small" @click=${close}>Close the preview</button></div>
    <p class="note">${readableSize(file.size)} from ${file.from}${diff.some((line) => line.kind !== 'same')
  ? ': changed lines against the file of the project' : ''}</p>
    ${file.binary ? html`<p>This file is binary.</p>`
    : html`<div class="source" tabindex="0" role="region" aria-label="Text of the file"><ol>${lines(diff)}</ol></div>`}
    ${file.truncated ? html`<p class="note">Only the first 512 KB are shown.</p>` : nothing}
  </section>`;

export const pickedView = (plugins, change) => plugins.map((plugin) => html`<li><label><input type="checkbox"
  name="plugins" .value=${plugin.slug} .checked=${true} @change=${() => change(plugin.slug, false)}>
  <span><bdi>${plugin.name}</bdi></span></label></li>`);

export const foundView = (plugins, change) => plugins.map((plugin) => html`<li><label><input type="checkbox"
  .value=${plugin.slug} .checked=${false} @change=${() => change(plugin.slug, true)}>
  <span><bdi>${plugin.name}</bdi></span></label></li>`);
