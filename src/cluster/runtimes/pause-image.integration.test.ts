import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "#/testing/until.ts";
import { pauseImage, pauseImageName } from "./pause-image.ts";
import { pauseProgram } from "./pause-program.ts";

function temporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "k8ts-pause-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`pauseProgram() waits, and ends well on ${signal}`, async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "pause");
    writeFileSync(file, pauseProgram(process.arch), { mode: 0o755 });
    const child = spawn(file);
    await once(child, "spawn");
    // Until it sleeps in its third system call, the signals would kill it.
    const waits = (): boolean =>
      /^State:\sS[\s\S]*^SigIgn:\s0*10000$/m.test(
        readFileSync(`/proc/${child.pid}/status`, "utf8"),
      );
    await until("it waits", waits);
    const ended = once(child, "exit");
    child.kill(signal);
    assert.deepEqual(await ended, [0, null]);
  });
}

test("pauseProgram() names the supported architectures", () => {
  assert.throws(() => pauseProgram("mips"), {
    message: "k8ts has no pause program for the architecture mips",
  });
});

test("pauseImage() is an archive whose blobs have the digests that it names", () => {
  using folder = temporaryFolder();
  execFileSync("tar", ["-x", "-C", folder.path], { input: pauseImage("arm64") });
  const read = (name: string) => JSON.parse(readFileSync(join(folder.path, name), "utf8"));
  const [manifest] = read("index.json").manifests;
  assert.equal(manifest.annotations["io.containerd.image.name"], pauseImageName);
  assert.deepEqual(manifest.platform, { architecture: "arm64", os: "linux" });
  const blobs = readdirSync(join(folder.path, "blobs/sha256"));
  assert.equal(blobs.length, 3);
  const sums = execFileSync("sha256sum", blobs, {
    cwd: join(folder.path, "blobs/sha256"),
    encoding: "utf8",
  });
  for (const line of sums.trim().split("\n")) {
    const [sum, name] = line.split(/\s+/);
    assert.equal(sum, name);
  }
  assert.ok(blobs.includes(manifest.digest.slice("sha256:".length)));
});
