import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { checkReadable, failureText } from "./needs-root.ts";

const denied = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: permission denied`), { code, ...(path && { path }) });

const cases: readonly { name: string; error: Error; isRoot: boolean; text: string }[] = [
  {
    name: "a file that may not be read",
    error: denied("EACCES", "/var/lib/x/cluster.json"),
    isRoot: false,
    text: "/var/lib/x/cluster.json needs root: run it with sudo",
  },
  {
    name: "a call that may not be made",
    error: denied("EPERM"),
    isRoot: false,
    text: "this needs root: run it with sudo",
  },
  {
    name: "a permission that root lacks",
    error: denied("EACCES", "/x"),
    isRoot: true,
    text: "EACCES: permission denied",
  },
  { name: "any other failure", error: new Error("no disk"), isRoot: false, text: "no disk" },
];

for (const { name, error, isRoot, text } of cases) {
  test(`failureText() of ${name}`, () => assert.equal(failureText(error, isRoot), text));
}

const folder = mkdtempSync(join(tmpdir(), "k8ts-needs-root-"));
after(() => rmSync(folder, { recursive: true }));

test("checkReadable() accepts a missing or readable folder", () => {
  checkReadable(join(folder, "none"));
  checkReadable(folder);
});

const isRoot = process.getuid?.() === 0;
/** The capabilities by which root reads files of others. */
const rights = "-dac_override,-dac_read_search";

test("every command without permission asks for root", { skip: !isRoot && "needs root" }, () => {
  const closed = join(folder, "closed");
  mkdirSync(closed, { mode: 0o700 });
  chownSync(closed, 65534, 65534);
  const k8ts = fileURLToPath(import.meta.resolve("../../../bin/k8ts.ts"));
  const limits = [`--bounding-set=${rights}`, `--inh-caps=${rights}`];
  for (const command of ["status", "down", "logs agent", "image load /dev/null", "token create"]) {
    const node = [process.execPath, "--disable-warning=ExperimentalWarning"];
    const args = [...limits, ...node, k8ts, ...command.split(" "), `--data-dir=${closed}`];
    const { status, stderr } = spawnSync("setpriv", args, { encoding: "utf8" });
    assert.equal(stderr, `k8ts: ${closed} needs root: run it with sudo\n`, command);
    assert.equal(status, 1);
  }
});
