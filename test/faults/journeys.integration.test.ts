import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Journey } from "#/machinery/journey/step.ts";
import { until } from "#/testing/until.ts";
import { ApiServerProcess } from "./api-server-process.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const group = "/apis/journey.k8ts.dev/v1/namespaces/default";
const query = "resource=configmaps";

/** The text of all files of a part of the record. */
async function written(server: ApiServerProcess, part: "steps" | "history"): Promise<string> {
  const folder = join(server.directory, "data/journey", part);
  const files = await readdir(folder).catch(() => []);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "latin1")));
  return texts.join("");
}

test("SIGKILL under load loses no journey and no version that was written a moment before", async () => {
  await using server = await ApiServerProcess.start(["--journey"]);
  const names = ["first", "second"];
  for (const [round, name] of names.entries()) {
    const made = await server.send("POST", maps, {
      metadata: { name },
      data: { round: `${round}` },
    });
    assert.equal(made.status, 201, made.text);
    assert.equal((await server.send("DELETE", `${maps}/${name}`)).status, 200);
    const load = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; ; n++) {
        const body = { metadata: { name: `m-${round}-${writer}-${n}` } };
        const answer = await server.send("POST", maps, body).catch(() => undefined);
        if (!answer) return;
      }
    });
    // Records are written in order: this one is after those of the deletion.
    await until("written records", async () => {
      const [steps, history] = await Promise.all([
        written(server, "steps"),
        written(server, "history"),
      ]);
      return steps.includes(`m-${round}-0-3`) && history.includes(`m-${round}-0-3`);
    });
    await server.end("SIGKILL");
    await Promise.all(load);
    await server.run();
  }
  for (const name of names) {
    const { status, text } = await server.send("GET", `${group}/journeys/${name}?${query}`);
    assert.equal(status, 200, text);
    const commits = (JSON.parse(text) as Journey).steps.filter((step) => step.name === "commit");
    assert.deepEqual(
      commits.map(({ facts }) => facts?.["verb"]),
      [undefined, "delete"],
    );
    const history = await server.send("GET", `${group}/histories/${name}?${query}`);
    const { versions } = JSON.parse(history.text) as { versions: { verb: string }[] };
    assert.deepEqual(
      versions.map(({ verb }) => verb),
      ["create", "delete"],
    );
  }
  // The server goes on recording after what it has read.
  await server.send("POST", maps, { metadata: { name: "third" } });
  const { text } = await server.send("GET", `${group}/journeys?${query}&limit=1`);
  const { items } = JSON.parse(text) as { items: Journey[] };
  assert.deepEqual(
    items.map(({ of }) => of.name),
    ["third"],
  );
});
