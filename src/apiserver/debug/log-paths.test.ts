import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";
import { Paths } from "../http/paths.ts";
import { addLogFiles } from "./log-paths.ts";

const directory = await mkdtemp(join(tmpdir(), "log-paths-"));
after(() => rm(directory, { recursive: true }));
const long = "a line\n".repeat(100_000);
await writeFile(join(directory, "my log"), long);
const paths = new Paths();
addLogFiles(paths, directory);

for (const [path, status, text] of [
  ["/logs/my%20log", 200, long],
  ["/logs/other", 404, "404 page not found\n"],
  ["/logs/my%2520log", 404, "404 page not found\n"],
] as const) {
  test(`addLogFiles() answers ${status} at ${path}`, async () => {
    await using api = await startApiServer({ resources: [], paths });
    const reply = await api.call("GET", path);
    assert.deepEqual([reply.status, reply.text], [status, text]);
  });
}
