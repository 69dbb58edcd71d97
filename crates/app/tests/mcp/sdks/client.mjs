// A session with the server: node client.mjs PROGRAM DIRECTORY, the directory holding `repo`, `other` and `cache`.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [program, directory] = process.argv.slice(2);
const repo = join(directory, "repo");
let roots = [{ uri: pathToFileURL(repo).href, name: "repo" }];

const client = new Client({ name: "test", version: "0" }, { capabilities: { roots: { listChanged: true } } });
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
const changed = new Promise((done) => client.setNotificationHandler(ToolListChangedNotificationSchema, done));
const transport = new StdioClientTransport({
  command: program,
  args: ["mcp", "--stage", "--cache", join(directory, "cache")],
  cwd: repo,
});
await client.connect(transport);
assert.match(client.getInstructions(), /understory/);

const { tools } = await client.listTools();
assert.deepEqual(
  tools.map((t) => t.name),
  ["search_code", "search_text", "read_file", "list_files", "stage_write", "unstage", "staged"],
);

// The client checks the structured content against the output schema.
const progress = [];
const found = await client.callTool(
  { name: "search_code", arguments: { mode: "callers", query: "charge" } },
  undefined,
  { onprogress: (p) => progress.push(p.progress) },
);
assert.equal(found.structuredContent.hits[0].symbol.name, "total");
// This client drops progress that reaches it in one piece with the answer, so that there may be none; what there is grows.
assert.ok(progress.every((p, i) => i === 0 || p > progress[i - 1]), String(progress));
for (const mode of ["ask", "grep", "explore"]) {
  const answer = await client.callTool({ name: "search_code", arguments: { mode, query: "charge" } });
  assert.equal(answer.structuredContent.ok, true, mode);
}
const map = await client.callTool({ name: "search_code", arguments: { mode: "map" } });
assert.equal(map.structuredContent.map.totals.files, 1);
const refused = await client.callTool({ name: "read_file", arguments: { path: "gone" } });
assert.equal(refused.structuredContent.refusal.code, "search_code.no_such_file");
assert.equal(refused.isError, false);

await client.callTool({ name: "stage_write", arguments: { path: "new.py", content: "charge(2)\n" } });
assert.ok(!existsSync(join(repo, "new.py")));
const text = await client.callTool({ name: "search_text", arguments: { pattern: "charge\\(2\\)" } });
assert.deepEqual(text.structuredContent.matches.map((m) => [m.path, m.staged]), [["new.py", true]]);

const stop = new AbortController();
const call = client.callTool({ name: "search_code", arguments: { mode: "map" } }, undefined, { signal: stop.signal });
stop.abort("enough");
await assert.rejects(call);

roots = [...roots, { uri: pathToFileURL(join(directory, "other")).href, name: "other" }];
await client.sendRootsListChanged();
await changed;
const again = await client.listTools();
assert.deepEqual(again.tools[0].inputSchema.properties.root.enum, ["repo", "other"]);
const listed = await client.callTool({ name: "list_files", arguments: { root: "other" } });
assert.deepEqual(listed.structuredContent.paths, ["side.py"]);

await client.close();
console.log("all of it");
