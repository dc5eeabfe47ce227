'use strict';
// Sorts a table by the column clicked on: numbers by value and before text, empty cells last either way.
for (const button of document.querySelectorAll('th button')) button.addEventListener('click', () => {
  const head = button.parentElement, table = head.closest('table'), rows = [...table.tBodies[0].rows];
  const way = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
  const key = row => { const text = row.cells[head.cellIndex].textContent.trim();
    return {text, number: text === '' ? NaN : Number(text)}; };
  const order = (a, b) => {
    if (a.text === '' || b.text === '') return (a.text === '') - (b.text === '');
    const left = Number.isNaN(a.number), right = Number.isNaN(b.number);
    if (left !== right) return way * (left - right);
    return way * (left ? a.text.localeCompare(b.text, 'en', {numeric: true}) : a.number - b.number);
  };
  rows.map(row => [key(row), row]).sort((a, b) => order(a[0], b[0])).forEach(([, row]) => table.tBodies[0].append(row));
  for (const other of head.parentElement.cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', way === 1 ? 'ascending' : 'descending');
});

// Shows the rows that have every word of the search, in whatever cells.
for (const field of document.querySelectorAll('input[data-searches]')) field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\s+/);
  for (const row of document.getElementById(field.dataset.searches).tBodies[0].rows)
    row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
});

// Copies a text, or the rows of a table that are shown, in their order, as CSV (RFC 4180).
const quoted = text => /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
const csv = table => [...table.rows].filter(row => !row.hidden)
  .map(row => [...row.cells].map(cell => quoted(cell.textContent.trim())).join(',') + '\n').join('');
for (const button of document.querySelectorAll('button.copy')) button.addEventListener('click', async () => {
  const from = document.getElementById(button.dataset.copies), said = button.innerHTML;
  await navigator.clipboard.writeText(from.tBodies ? csv(from) : from.textContent.trim());
  button.textContent = 'Copied';
  setTimeout(() => { button.innerHTML = said; }, 1500);
});

// Paper shows what is folded on the screen, but for the cells of a map.
addEventListener('beforeprint', () => {
  for (const folded of document.querySelectorAll('section > details')) folded.open = true;
});
