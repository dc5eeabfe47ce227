// Sorts a table by the column clicked on: numbers by value and before text, empty cells last either way.
'use strict';
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
