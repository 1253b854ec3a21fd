'use strict';
(() => {
  const root = document.documentElement;
  const one = (selector) => document.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Theme: what the reader chose last, else what the system says.
  const theme = one('#theme');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const current = () => root.dataset.theme || (system.matches ? 'dark' : 'light');
  const tell = () => { theme.textContent = current() === 'dark' ? 'Light' : 'Dark'; };
  const remembered = (value) => {
    // Storage may be forbidden for files.
    try { return value ? localStorage.setItem('resplint-theme', value) : localStorage.getItem('resplint-theme'); } catch { return null; }
  };
  const chosen = remembered();
  if (chosen === 'dark' || chosen === 'light') root.dataset.theme = chosen;
  theme.hidden = false;
  tell();
  theme.addEventListener('click', () => {
    root.dataset.theme = current() === 'dark' ? 'light' : 'dark';
    remembered(root.dataset.theme);
    tell();
  });
  system.addEventListener('change', tell);

  // Where a chart is wider than the screen, what is new is shown first.
  for (const chart of all('.trend .wide')) chart.scrollLeft = chart.scrollWidth;

  // A link to a finding opens it.
  const reveal = () => {
    let target = null;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { /* no name */ }
    if (!target) return;
    for (let each = target; each; each = each.parentElement) if (each instanceof HTMLDetailsElement) each.open = true;
    const inside = target.matches('.finding') ? target.querySelector('details') : null;
    if (inside) inside.open = true;
    target.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  reveal();

  const toolbar = one('#toolbar');
  if (!toolbar) return;
  toolbar.hidden = false;
  const home = one('#by-rule');
  const other = one('#rearranged');
  const findings = all('.finding', home);
  const rules = all('.rule', home);
  const lists = new Map(rules.map((rule) => [rule.dataset.rule, rule.querySelector('.list')]));
  const input = { text: one('#q'), rule: one('#pick-rule'), folder: one('#pick-folder'), state: one('#pick-state'), order: one('#arrange') };
  const levels = all('input[name="level"]', toolbar);
  const shown = one('#shown');
  const nothing = one('#nothing');
  const texts = new Map();
  const text = (finding) => {
    if (!texts.has(finding)) texts.set(finding, finding.textContent.toLowerCase());
    return texts.get(finding);
  };

  const filter = () => {
    const words = input.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = new Set(levels.filter((box) => box.checked).map((box) => box.value));
    const picked = (select, value) => !select || !select.value || select.value === value;
    let count = 0;
    for (const finding of findings) {
      const { level, rule, folder, state } = finding.dataset;
      const fits = wanted.has(level) && picked(input.rule, rule) && picked(input.folder, folder) && picked(input.state, state)
        && (!words.length || words.every((word) => text(finding).includes(word)));
      finding.hidden = !fits;
      count += fits;
    }
    for (const group of all('.rule')) group.hidden = !group.querySelector('.finding:not([hidden])');
    const number = (value) => value.toLocaleString('en');
    const noun = findings.length === 1 ? 'finding' : 'findings';
    shown.textContent = `${count === findings.length ? '' : `${number(count)} of `}${number(findings.length)} ${noun}`;
    nothing.hidden = count > 0;
  };

  const arrange = () => {
    const by = input.order.value;
    other.replaceChildren();
    home.hidden = by !== 'rule';
    if (by === 'rule') {
      for (const finding of findings) lists.get(finding.dataset.rule).append(finding);
      return;
    }
    const groups = new Map();
    const ordered = [...findings].sort((a, b) => a.dataset.rank - b.dataset.rank);
    for (const finding of ordered) {
      const key = by === 'folder' ? finding.dataset.folder : '';
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(finding);
    }
    for (const [key, members] of groups) {
      const section = document.createElement('section');
      section.className = 'rule';
      if (by === 'folder') {
        const heading = document.createElement('h3');
        const name = document.createElement('code');
        name.textContent = [...input.folder.options].find((option) => option.value === key)?.textContent ?? '';
        const number = document.createElement('span');
        number.className = 'quiet num';
        number.textContent = members.length.toLocaleString('en');
        heading.append(name, number);
        section.append(heading);
      }
      const list = document.createElement('div');
      list.className = 'list';
      list.append(...members);
      section.append(list);
      other.append(section);
    }
  };

  let waiting = 0;
  input.text.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
  for (const control of [...levels, input.rule, input.folder, input.state]) control?.addEventListener('change', filter);
  input.order.addEventListener('change', () => { arrange(); filter(); });
  one('#open-all').addEventListener('click', (event) => {
    const opening = event.currentTarget.dataset.open !== 'true';
    for (const finding of findings) if (!finding.hidden) finding.querySelector('details').open = opening;
    event.currentTarget.dataset.open = opening;
    event.currentTarget.textContent = opening ? 'Close all' : 'Open all';
  });
  one('#reset').addEventListener('click', () => {
    input.text.value = '';
    for (const box of levels) box.checked = true;
    for (const select of [input.rule, input.folder, input.state]) if (select) select.value = '';
    filter();
    input.text.focus();
  });
  for (const link of all('a[data-folder], a[data-rule]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      input.rule.value = link.dataset.rule ?? '';
      input.folder.value = link.dataset.folder ?? '';
      filter();
      one('#findings').scrollIntoView();
      shown.focus();
    });
  }
  filter();
})();
