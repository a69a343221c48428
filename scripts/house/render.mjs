// The figures of one or more checkouts as a table, a column each, and the list of what was counted.

/** Each row: its name, and the text of a checkout's cell. A text of several lines takes several rows. */
function rowsFor(checkouts) {
  const rooms = [...new Set(checkouts.flatMap(({ rooms }) => [...rooms.keys()]))].sort();
  const gates = [...new Set(checkouts.flatMap(({ gate }) => Object.keys(gate)))];
  return [
    ['files · lines · syntax nodes', () => ''],
    ...rooms.map((room) => [`  ${room}`, ({ rooms }) => weight(rooms.get(room) ?? [])]),
    ['  all', ({ sources }) => weight(sources)],
    ['lines of a file: p90', ({ p90 }) => count(p90)],
    ['lines of the longest file', ({ longest }) => `${count(longest.lines)} ${longest.path}`],
    ['cycles of values', ({ valueCycles }) => named(valueCycles)],
    ['cycles with types', ({ typeCycles }) => named(typeCycles)],
    [
      'most imported',
      ({ fanIn }) =>
        fanIn
          .slice(0, 10)
          .map(([path, files]) => `${String(files).padStart(3)} ${path}`)
          .join('\n'),
    ],
    ['most files in a folder', ({ folders: [[path, files]] }) => `${files} ${path}`],
    ['names exported by several files', ({ sharedNames }) => count(sharedNames.length)],
    ['decisions by wording', ({ wordings }) => placed(wordings)],
    ['comparisons with a date', ({ dates }) => placed(dates)],
    [
      'shipped',
      ({ packed }) => (packed ? `${count(packed.bytes)} bytes in ${packed.files} files, ${count(packed.packedBytes)} packed` : 'not built'),
    ],
    ['installed with it', ({ installed }) => `${installed.packages} packages, ${installed.megabytes.toFixed(1)} MB`],
    ...gates.map((name) => [`gate: ${name}`, ({ gate }) => gateText(gate[name])]),
  ];
}

/** `columns`: pairs of a title and a measured checkout. */
export function renderTable(columns) {
  const checkouts = columns.map(([, checkout]) => checkout);
  const lines = rowsFor(checkouts).flatMap(([name, cell]) => {
    const cells = checkouts.map((checkout) => cell(checkout).split('\n'));
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, at) => [at === 0 ? name : '', ...cells.map((texts) => texts[at] ?? '')]);
  });
  const all = [['', ...columns.map(([title]) => title)], ...lines];
  const widths = all[0].map((_, at) => Math.max(...all.map((row) => row[at].length)));
  return all
    .map(
      (row) =>
        `${row
          .map((text, at) => text.padEnd(widths[at]))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

export function renderFindings({ valueCycles, typeCycles, folders, sharedNames, wordings, dates }) {
  const section = (title, list) => `\n${title}\n${list.map((line) => `  ${line}\n`).join('')}`;
  return [
    section(
      'Cycles of values',
      valueCycles.map((group) => group.join(' ')),
    ),
    section(
      'Cycles with types',
      typeCycles.map((group) => group.join(' ')),
    ),
    section(
      'Folders by files',
      folders.slice(0, 20).map(([path, files]) => `${files} ${path}`),
    ),
    section(
      'Names exported by several files',
      sharedNames.map(([name, paths]) => `${name}: ${paths.join(' ')}`),
    ),
    section('Decisions by wording', wordings),
    section('Comparisons with a date', dates),
  ].join('');
}

function weight(sources) {
  const sum = (key) => sources.reduce((total, source) => total + source[key], 0);
  return [count(sources.length).padStart(4), count(sum('lines')).padStart(7), count(sum('nodes')).padStart(8)].join(' ');
}

function named(groups) {
  if (groups.length === 0) return '0';
  return [
    count(groups.length),
    ...groups.map((group) => (group.length > 4 ? `${group.length} files: ${group.slice(0, 3).join(' ')} …` : group.join(' '))),
  ].join('\n');
}

function placed(places) {
  return `${places.length} in ${new Set(places.map((place) => place.split(':')[0])).size} files`;
}

function gateText(run) {
  if (run === undefined) return '';
  const { workerSeconds, ...rest } = run;
  return [`${count(Math.round(workerSeconds))} worker-seconds`, ...Object.entries(rest).map(([key, value]) => `${key} ${value}`)].join(
    ', ',
  );
}

function count(number) {
  return number.toLocaleString('en');
}
