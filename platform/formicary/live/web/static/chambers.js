// The layout of the nest: chambers, and places of agents in a chamber.

const GAP = 26;
const HEAD = 46; // for a chamber's name and figures
const SMALLEST = { width: 170, height: 150 };
// Cells for agents with name and class below: a chamber with up to `most` agents grows as high as they need, unless the
// chambers would fill more than `MOST_SCREENS` screens.
const CELLS = [{ most: 24, width: 92, height: 54, least: 9, font: 11.5 }, { most: 400, width: 78, height: 44, least: 6, font: 10 }];
const MOST_SCREENS = 12;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

// Round up, so that a few more or fewer agents do not move the others.
const places = (count) => Math.max(7, Math.ceil(1.3 ** Math.ceil(Math.log(Math.max(count, 1)) / Math.log(1.3))));

// Lay out chambers in a grid, in the given order; `sizes` are [name, number of places].
export const layout = (sizes, width, height) => {
  const many = Math.max(1, sizes.length);
  const most = Math.max(1, Math.floor((width - GAP) / (SMALLEST.width + GAP)));
  let columns = 1;
  let best = 0;
  for (let tried = 1; tried <= Math.min(most, many); tried += 1) {
    const cell = Math.min((width - GAP) / tried, ((height - GAP) / Math.ceil(many / tried)) * 1.45);
    if (cell > best) { best = cell; columns = tried; }
  }
  const rows = Math.ceil(many / columns);
  const wide = (width - GAP) / columns - GAP;
  const needs = (most) => HEAD + 18 + Math.max(0, ...sizes.filter(([, count]) => count <= most).map(([, count]) => {
    const cell = CELLS.find((one) => count <= one.most);
    return Math.ceil(count / Math.max(1, Math.floor((wide - 24) / cell.width))) * cell.height;
  }));
  const needed = rows * needs(CELLS[1].most) <= MOST_SCREENS * height ? needs(CELLS[1].most) : needs(CELLS[0].most);
  const high = Math.max(SMALLEST.height, needed, (height - GAP) / rows - GAP);
  const chambers = new Map();
  sizes.forEach(([name, count], index) => {
    const row = Math.floor(index / columns);
    const inRow = Math.min(columns, many - row * columns);
    const shift = ((columns - inRow) * (wide + GAP)) / 2; // the last row is centred
    const x = GAP + (index % columns) * (wide + GAP) + shift;
    const y = GAP + row * (high + GAP);
    chambers.set(name, furnish({ name, count, x, y, width: wide, height: high }));
  });
  return { chambers, depth: GAP + rows * (high + GAP) };
};

const furnish = (chamber) => {
  const room = { width: chamber.width - 24, height: chamber.height - HEAD - 14 };
  const columnsOf = (cell) => Math.floor(room.width / cell.width);
  const cell = CELLS.find((one) => chamber.count <= columnsOf(one) * Math.floor(room.height / one.height));
  chamber.cell = cell ?? null;
  if (cell) {
    chamber.columns = Math.min(columnsOf(cell), Math.max(1, chamber.count), Math.max(1, Math.ceil(Math.sqrt(chamber.count * (room.width / room.height) * (cell.height / cell.width)))));
    chamber.rows = Math.max(1, Math.ceil(chamber.count / chamber.columns));
    const side = Math.min(room.width / chamber.columns, room.height / chamber.rows, cell.height * 1.7);
    chamber.radius = Math.min(17, Math.max(cell.least, side * 0.19));
  } else {
    chamber.places = places(chamber.count);
    const area = (Math.PI * room.width * room.height) / 4;
    chamber.radius = Math.min(9, Math.max(1.1, Math.sqrt(area / chamber.places) * 0.43));
  }
  chamber.room = { x: chamber.x + 12, y: chamber.y + HEAD, ...room };
  return chamber;
};

// Return the place of an agent by its number in the chamber.
export const spot = (chamber, index) => {
  const { room, cell } = chamber;
  if (cell) {
    const wide = room.width / chamber.columns;
    const high = Math.min(room.height / chamber.rows, cell.height * 1.7);
    const top = room.y + (room.height - high * chamber.rows) / 2;
    return [room.x + ((index % chamber.columns) + 0.5) * wide, top + (Math.floor(index / chamber.columns) + 0.5) * high - cell.height / 6];
  }
  const far = Math.sqrt((index + 0.5) / chamber.places) * 0.97;
  const angle = index * GOLDEN;
  return [
    room.x + room.width / 2 + (far * Math.cos(angle) * room.width) / 2,
    room.y + room.height / 2 + (far * Math.sin(angle) * room.height) / 2,
  ];
};
