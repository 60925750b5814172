import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { k8ts, launcher, program, startK8ts, traces } from "./machine.ts";

/** A name of this run's own, so that two runs on a machine don't conflict. */
const name = `stop-${process.pid.toString(36)}`;
const folder = mkdtempSync(join(tmpdir(), "k8ts-stop-"));
const up = ["up", "--name", name, "--kubeconfig", join(folder, "kubeconfig")];

after(async () => {
  await k8ts("down", "--purge", "--name", name);
  rmSync(folder, { recursive: true });
  assert.deepEqual(await traces(name), []);
});

const moments = [
  { moment: "while programs start", said: /certificates and configuration/ },
  { moment: "while it waits", said: /API server/ },
];
for (const { moment, said } of moments) {
  test(`an up that is interrupted ${moment} prints how to continue, and purge removes all it left`, async () => {
    const running = startK8ts(...up);
    await running.said(said);
    running.interrupt();
    assert.equal(await running.end, "SIGINT");
    await running.said(
      new RegExp(`interrupted; .*: ${launcher} up --name ${name}; .*: ${launcher} down --name`),
    );
    await k8ts("down", "--purge", "--name", name);
    assert.deepEqual(await traces(name), []);
  });
}

test("down ends an up that is under way", async () => {
  const running = startK8ts(...up);
  await running.said(/certificates and configuration/);
  assert.match(await k8ts("down", "--purge", "--name", name), /ending \S*k8ts up \(process \d+\)/);
  assert.equal(await running.end, "SIGTERM");
  assert.deepEqual(await traces(name), []);
});

test("two concurrent starts of the same cluster both succeed", async () => {
  const said = await Promise.all([k8ts(...up), k8ts(...up)]);
  assert.match(said.join(""), /waiting for k8ts up \(process \d+\)/);
  assert.match(said.join(""), /running already/);
});

for (const line of ["status", "logs server --tail=-1", "logs --since 10m"]) {
  test(`k8ts ${line} ends without an error when its output pipe is closed`, async () => {
    const piped = `"$0" ${line} --name ${name} 2>"${folder}/err" | head -n 1; cat "${folder}/err"`;
    const shown = await program("bash", "-c", piped, launcher);
    assert.match(shown, /^[^\n]+\n$/);
  });
}
