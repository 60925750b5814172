import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { distrustAuthority, trustAuthority } from "./trust-store.ts";

const debian = "usr/local/share/ca-certificates";
const fedora = "etc/pki/ca-trust/source/anchors";

async function machineWith(t: TestContext, ...folders: string[]) {
  const root = await mkdtemp(join(tmpdir(), "k8ts-trust-"));
  t.after(() => rm(root, { recursive: true }));
  for (const folder of folders) await mkdir(join(root, folder), { recursive: true });
  const programs: string[] = [];
  const run = (program: string, args: readonly string[]): Promise<string> => {
    programs.push([program, ...args].join(" "));
    return Promise.resolve("");
  };
  return { root, run, programs };
}

for (const { folder, program } of [
  { folder: debian, program: "update-ca-certificates" },
  { folder: fedora, program: "update-ca-trust extract" },
]) {
  test(`trustAuthority() writes into ${folder}, distrustAuthority() removes it`, async (t) => {
    const machine = await machineWith(t, folder);
    const file = join(machine.root, folder, "k8ts-dev.crt");
    assert.equal(await trustAuthority("dev", "PEM", machine), file);
    assert.equal(await readFile(file, "utf8"), "PEM");
    assert.deepEqual(await distrustAuthority("other", machine), []);
    assert.deepEqual(await distrustAuthority("dev", machine), [file]);
    assert.equal(existsSync(file), false);
    assert.deepEqual(machine.programs, [program, program]);
  });
}

test("trustAuthority() finds no store on an unknown system", async (t) => {
  const machine = await machineWith(t);
  assert.equal(await trustAuthority("dev", "PEM", machine), undefined);
  assert.deepEqual(machine.programs, []);
});
