import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { launcher, traces, webImage } from "../e2e/machine.ts";
import { shellBlocks } from "./shell-blocks.ts";

/** Names of this run's own, so that two runs on a machine don't conflict. */
const cluster = `docs-${process.pid.toString(36)}`;
const second = `${cluster}-b`;
const folder = mkdtempSync(join(tmpdir(), "k8ts-docs-"));
const env = {
  ...process.env,
  PATH: `${folder}${delimiter}${process.env["PATH"]}`,
  K8TS_CLUSTER: cluster,
  KUBECONFIG: join(folder, "kubeconfig"),
};

function shell(commands: string): { readonly code: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync("sh", ["-eux", "-c", commands], {
    cwd: folder,
    env,
    encoding: "utf8",
    timeout: 180_000,
  });
  return { code: status, said: stdout + stderr };
}

const run = (commands: string): void => {
  const { code, said } = shell(commands);
  assert.equal(code, 0, said);
};

/** The images of the documents are built here: there is no registry. */
const loadImages = (): void => {
  writeFileSync(join(folder, "nginx.tar"), webImage("docker.io/library/nginx:1.29"));
  writeFileSync(join(folder, "web.tar"), webImage("example.test/web:1"));
  run("k8ts image load nginx.tar");
};

before(() => {
  symlinkSync(launcher, join(folder, "k8ts"));
  run("k8ts up");
  loadImages();
});

after(async () => {
  for (const name of [cluster, second]) shell(`k8ts down --purge --name ${name}`);
  rmSync(folder, { recursive: true, force: true });
  assert.deepEqual(await traces(cluster), []);
});

// README.md and the page on the life cycle end with a purge: they are last.
const root = join(import.meta.dirname, "../..");
const files = globSync("docs/how-to/*.md", { cwd: root })
  .sort()
  .filter((file) => !file.endsWith("life-cycle.md"));
test("the commands of the documents work as they are written, one after the other", async (t) => {
  for (const file of [...files, "README.md", "docs/how-to/life-cycle.md"]) {
    for (const { line, commands } of shellBlocks(file, readFileSync(join(root, file), "utf8"))) {
      await t.test(`${file}:${line}`, () => {
        run(commands.replaceAll(/--(name|context) second/g, `--$1 ${second}`));
      });
    }
  }
});
