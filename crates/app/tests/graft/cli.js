#!/usr/bin/env node
// Speaks Graft's contract over files of Python, as far as one test needs it.
const fs = require('node:fs'), path = require('node:path');
const all = process.argv.slice(2);
if (all[0] === '--version') { console.log('0.16.0'); process.exit(0); }
const dashes = all.indexOf('--'), before = all.slice(0, dashes), words = all.slice(dashes + 1);
const [flag, dir, command] = before, root = words.at(-1);
if (flag !== '--dir' || process.env.GRAFT_NO_REFRESH !== '1' || process.env.DO_NOT_TRACK !== '1') process.exit(1);
const wiring = path.join(dir, '.graph', 'wiring.json');
const walk = (at) => fs.readdirSync(at, { withFileTypes: true }).flatMap((e) =>
  e.name.startsWith('.') ? [] : e.isDirectory() ? walk(path.join(at, e.name)) : e.name.endsWith('.py') ? [path.join(at, e.name)] : []);
if (command === 'build') {
  const nodes = [], edges = [];
  for (const file of walk(root).sort()) {
    const name = path.relative(root, file), lines = fs.readFileSync(file, 'utf8').split('\n');
    nodes.push({ id: name, name: path.basename(name), kind: 'file', path: name, span: `L1-L${lines.length}` });
    lines.forEach((line, at) => {
      const def = /^def (\w+)/.exec(line);
      if (def) nodes.push({ id: `${name}#${def[1]}`, name: def[1], kind: 'function', path: name, span: `L${at + 1}-L${at + 2}` });
      const call = /return (\w+)\(/.exec(line);
      if (call) edges.push([nodes.at(-1).id, call[1]]);
    });
  }
  const linked = edges.flatMap(([source, name]) => nodes.filter((n) => n.name === name)
    .map((n) => ({ source, target: n.id, relation: 'calls', confidence: 'inferred' })));
  fs.mkdirSync(path.dirname(wiring), { recursive: true });
  fs.writeFileSync(wiring, JSON.stringify({ meta: { version: 1 }, nodes, edges: linked }));
  console.log('✓ wiring');
} else if (command === 'callers') {
  const { nodes, edges } = JSON.parse(fs.readFileSync(wiring, 'utf8'));
  const matches = nodes.filter((n) => n.name === words[0]).map((symbol) => ({
    symbol, hits: edges.filter((e) => e.target === symbol.id)
      .map((e) => ({ relation: e.relation, depth: 1, ...nodes.find((n) => n.id === e.source) })),
  }));
  console.log(JSON.stringify({ query: words[0], matches }, null, 2));
} else process.exit(1);
