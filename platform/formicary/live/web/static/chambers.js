// Where the chambers of the nest lie, and where in a chamber an agent stands.

const GAP = 26;
const HEAD = 46; // of a chamber: its name and figures
const SMALLEST = { width: 170, height: 150 };
const MOST_NAMED = 24; // agents of a chamber that is made as high as their names need
const NAMED = { width: 92, height: 54 }; // room for an agent with its name
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

// Places for so many agents that a few more or less do not move the others.
const places = (count) => Math.max(7, Math.ceil(1.3 ** Math.ceil(Math.log(Math.max(count, 1)) / Math.log(1.3))));

// Lay chambers out as a grid, in the order given: `sizes` are [name, number of places that are needed].
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
  const inOne = Math.max(1, Math.floor((wide - 24) / NAMED.width));
  const fullest = Math.max(0, ...sizes.map(([, count]) => count).filter((count) => count <= MOST_NAMED));
  const needed = HEAD + 18 + Math.ceil(fullest / inOne) * NAMED.height;
  const high = Math.max(SMALLEST.height, needed, (height - GAP) / rows - GAP);
  const chambers = new Map();
  sizes.forEach(([name, count], index) => {
    const row = Math.floor(index / columns);
    const inRow = Math.min(columns, many - row * columns);
    const shift = ((columns - inRow) * (wide + GAP)) / 2; // what is left over stands in the middle
    const x = GAP + (index % columns) * (wide + GAP) + shift;
    const y = GAP + row * (high + GAP);
    chambers.set(name, furnish({ name, count, x, y, width: wide, height: high }));
  });
  return { chambers, depth: GAP + rows * (high + GAP) };
};

const furnish = (chamber) => {
  const room = { width: chamber.width - 24, height: chamber.height - HEAD - 14 };
  const columns = Math.floor(room.width / NAMED.width);
  const rows = Math.floor(room.height / NAMED.height);
  chamber.isNamed = chamber.count <= columns * rows;
  if (chamber.isNamed) {
    chamber.columns = Math.min(columns, Math.max(1, chamber.count), Math.max(1, Math.ceil(Math.sqrt(chamber.count * (room.width / room.height) * (NAMED.height / NAMED.width)))));
    chamber.rows = Math.max(1, Math.ceil(chamber.count / chamber.columns));
    const cell = Math.min(room.width / chamber.columns, room.height / chamber.rows, NAMED.height * 1.7);
    chamber.radius = Math.min(17, Math.max(9, cell * 0.19));
  } else {
    chamber.places = places(chamber.count);
    const area = (Math.PI * room.width * room.height) / 4;
    chamber.radius = Math.min(9, Math.max(1.1, Math.sqrt(area / chamber.places) * 0.43));
  }
  chamber.room = { x: chamber.x + 12, y: chamber.y + HEAD, ...room };
  return chamber;
};

// Where the agent with this number in its chamber stands.
export const spot = (chamber, index) => {
  const { room } = chamber;
  if (chamber.isNamed) {
    const wide = room.width / chamber.columns;
    const high = Math.min(room.height / chamber.rows, NAMED.height * 1.7);
    const top = room.y + (room.height - high * chamber.rows) / 2;
    return [room.x + ((index % chamber.columns) + 0.5) * wide, top + (Math.floor(index / chamber.columns) + 0.5) * high - 9];
  }
  const far = Math.sqrt((index + 0.5) / chamber.places) * 0.97;
  const angle = index * GOLDEN;
  return [
    room.x + room.width / 2 + (far * Math.cos(angle) * room.width) / 2,
    room.y + room.height / 2 + (far * Math.sin(angle) * room.height) / 2,
  ];
};
